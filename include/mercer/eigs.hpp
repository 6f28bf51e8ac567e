#pragma once
/// \file
/// The largest or smallest eigenpairs of any symmetric matrix: one that is given by its products
/// (`SymmetricOperator`), or anything that Eigen multiplies, dense or sparse.
///
///     auto found = mercer::eigs(x.transpose() * x, 5);
///     found.values;                              // descending
///     found.vectors.col(0);                      // of the first
///     found.residuals[0];                        // ‖A v − λ v‖
///
///     Eigen::SparseMatrix<double> laplacian(1000, 1000);
///     auto low = mercer::eigs(laplacian, 3, {.smallest = true});
///
///     auto checked = mercer::eigs(mercer::MatrixOperator(rows), 3);  // refused unless symmetric
///
/// Restarted block Krylov. What costs is a pass: one product with a block of 16 or 32 vectors, some
/// ten to a hundred of them. Besides it takes about 10·n·m·b flops per pass and 16·n·m bytes for a
/// basis of m vectors (k + 8 blocks, fewer with `memory`) and blocks of b. Where restarts gain too
/// little, the basis grows, within `memory` or up to 1 GiB.
///
/// Small residuals show that each value is near an eigenvalue, not that none was missed. So a few
/// random vectors go along, and `beyond` bounds all eigenvalues that were not found.

#include <mercer/error.hpp>
#include <mercer/matrix.hpp>
#include <mercer/operator.hpp>
#include <mercer/progress.hpp>
#include <mercer/rows.hpp>
#include <mercer/seed.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>

namespace mercer {

struct EigsOptions {
  bool smallest = false;     ///< the smallest ones, ascending
  double tolerance = 1e-10;  ///< largest residual, relative to the largest |eigenvalue| seen
  /// Bound what was missed: seven random vectors in the first block, and perhaps some passes more.
  bool bound = true;
  Index block = 0;         ///< vectors per pass; 0: 16 for k ≤ 12, else 32
  int max_passes = 500;    ///< `Errc::not_converged` after them
  Matrix<double> start{};  ///< n×s vectors to begin with, where some are known; may be empty
  std::size_t memory = 0;  ///< bytes for the basis; 0: as large as is best
  int threads = 0;         ///< of all but `apply`; 0: one per core
  std::uint64_t seed = default_seed;  ///< of the first vectors
  Monitor monitor{};
};

struct Eigs {
  Vector<double> values;  ///< descending; ascending when the smallest were asked for
  /// n×k, orthonormal columns; the entry of largest magnitude in each is positive.
  Matrix<double> vectors;
  Vector<double> residuals;  ///< ‖A v − λ v‖, computed from A v itself
  int passes = 0;            ///< calls of `apply`
  /// No eigenvalue but those found lies beyond this number, up to their residuals: above it, or
  /// below it when the smallest were asked for. Infinite, with confidence 0, when `bound` is not
  /// set or no bound was found, as where an eigenvalue has more copies than vectors fit.
  double beyond = std::numeric_limits<double>::infinity();
  double confidence = 0;  ///< of `beyond`: 1, proven, or a probability; 0: no bound
};

namespace detail {
using Product = std::function<void(const Matrix<double>& v, Matrix<double>& out)>;
Eigs eigs(Index n, const Product& product, Index k, const EigsOptions& options);

template <class M>
concept Multiplies = requires(const M& m, const Matrix<double>& v, Matrix<double>& out) {
  { m.rows() } -> std::convertible_to<Index>;
  { m.cols() } -> std::convertible_to<Index>;
  out.noalias() = m * v;
};
}  // namespace detail

/// k eigenpairs of an operator. `apply` is called from the calling thread. Throws
/// `Errc::bad_option` unless 1 ≤ k ≤ n, `Errc::bad_data` where products are not finite or show that
/// the operator is not symmetric, and `Errc::not_converged` with what was reached.
template <class A>
requires SymmetricOperator<std::remove_cvref_t<A>> Eigs eigs(A&& a, Index k,
                                                             const EigsOptions& options = {}) {
  return detail::eigs(
      a.size(), [&a](const Matrix<double>& v, Matrix<double>& out) { a.apply(v, out); }, k,
      options);
}

/// The same for a symmetric matrix, or an expression, that multiplies.
template <detail::Multiplies M>
requires(!SymmetricOperator<M>) Eigs
    eigs(const M& matrix, Index k, const EigsOptions& options = {}) {
  if (matrix.rows() != matrix.cols())
    throw Error(Errc::bad_data, "eigenvalues are those of a square matrix");
  return detail::eigs(
      matrix.rows(),
      [&matrix](const Matrix<double>& v, Matrix<double>& out) { out.noalias() = matrix * v; }, k,
      options);
}

/// A symmetric matrix in memory, dense or sparse, as an operator: products use several threads.
/// Throws `Errc::bad_data`, with row and column, unless the matrix is square, finite and symmetric
/// to 1000 units in the last place of its largest entry. `matrix` must outlive the operator.
class MatrixOperator {
 public:
  explicit MatrixOperator(const Rows<double>& matrix, int threads = 0);

  Index size() const { return matrix_.rows(); }
  void apply(const Matrix<double>& v, Matrix<double>& out) const;
  double trace() const;

 private:
  Rows<double> matrix_;
  int threads_;
};

}  // namespace mercer
