#pragma once
// Dense factorisations, in double. Only this module names LAPACK.
//
// LAPACK thinks in columns and we in rows; each function below says what that makes of its input,
// so that nothing is ever transposed in memory.
//
// BLAS uses one thread: with more, the bits of a result depend on their number, and they spin for a
// while after a call. `threads` (0: one per core) are Mercer's; they share only work whose result
// does not depend on their number.

#include <mercer/matrix.hpp>

#include <vector>

namespace mercer {

/// Eigenvalues, descending, and eigenvectors as rows.
struct SymmetricEigen {
  Vector<double> values;
  Matrix<double> vectors;
};

/// The `k` largest eigenpairs of a symmetric matrix given by its upper triangle; `a` is used up.
/// All by divide and conquer (syevd), few by relatively robust representations (syevr) unless that
/// finds fewer, as it may where eigenvalues cluster.
/// Throws `Errc::not_converged` if LAPACK does not converge.
SymmetricEigen symmetric_eigen(Matrix<double> a, Index k, int threads = 1);

/// The triangular factor of a tall matrix, row by row: keeps R with RᵀR = AᵀA for all rows
/// pushed so far (Householder QR, so small singular values survive where AᵀA would lose them).
///
///     Triangle t(d);
///     std::copy_n(block.data(), 10 * d, t.rows());
///     t.push(10);                  // as often as there are rows
///     t.factor();                  // R, d×d upper triangular
class Triangle {
 public:
  explicit Triangle(Index columns);

  /// Room for the caller to write the next rows into, `capacity()` of them, contiguous.
  double* rows();
  Index capacity() const { return buffer_.rows() - columns_; }
  /// Takes in the first `count` rows of that room.
  void push(Index count);
  /// Takes in the rows of another factor.
  void push(const Triangle& other);

  Matrix<double> factor() const;

 private:
  Index columns_;
  Matrix<double> buffer_;  // R on top, room for new rows below
  std::vector<double> scalars_;
  std::vector<double> work_;
};

/// Each row of `b` times A⁻¹, for a positive definite A given by its upper triangle; `a` is used
/// up. Throws `Errc::not_converged` when A is not positive definite.
void times_inverse(Matrix<double> a, Matrix<double>& b, int threads = 1);

/// Singular values, descending, and right singular vectors as rows, of an n×d matrix; min(n, d)
/// of each. `a` is used up.
struct RightSvd {
  Vector<double> values;
  Matrix<double> vectors;
};
RightSvd right_svd(Matrix<double> a, int threads = 1);

}  // namespace mercer
