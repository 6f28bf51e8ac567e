#pragma once
/// \file
/// From rows to a `Model`.
///
///     Eigen::MatrixXd x = …;                                       // one row a sample
///     auto model = mercer::fit(x, {.components = 2});
///     auto most  = mercer::fit(x, {.components = mercer::variance_fraction(0.95)});
///     auto big   = mercer::fit(*mercer::open<double>("big.npy"), {.memory = 256 << 20});
///
///     auto kernel = mercer::kernels::rbf({.gamma = 2});
///     auto rings = mercer::fit(x, {.components = 2, .kernel = kernel});
///     auto cubic = mercer::fit(x, mercer::polynomial_map<double>(x.cols(), 3));
///     auto many = mercer::fit(*mercer::open<double>("big.npy"),
///                             {.kernel = kernel, .approx = mercer::Cholesky{.rank = 500}});
///
/// Cost with N rows, d columns: covariance N·d² + d³ (one pass), Gram N²·d + N³, SVD about 4·N·d²,
/// randomized 4·b·N·d a pass with b = 8 to 32 vectors, in some six to twenty passes.
/// Kernels: N²/2 kernel values, then about ten passes of 2·N²·b flops (krylov) or some 9·N³
/// (dense).

#include <mercer/approx.hpp>
#include <mercer/kernel.hpp>
#include <mercer/model.hpp>
#include <mercer/progress.hpp>
#include <mercer/seed.hpp>
#include <mercer/source.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace mercer {

/// How many components to keep: a count, a fraction of the variance, all that the data have, or as
/// many as are more than chance or noise (see significance.hpp).
class Components {
 public:
  enum class Kind { all, count, fraction, significant, gavish_donoho, minka };
  Components() = default;
  Components(Index count) : kind_(Kind::count), count_(count) {}  // NOLINT: {.components = 8}
  static Components of_variance(double f) {
    Components c;
    c.kind_ = Kind::fraction;
    c.fraction_ = f;
    return c;
  }
  static Components by(Kind kind) {
    Components c;
    c.kind_ = kind;
    return c;
  }
  /// That many, or all where the data have fewer.
  static Components at_most(Index count) {
    Components c(count);
    c.soft_ = true;
    return c;
  }
  Kind kind() const { return kind_; }
  bool soft() const { return soft_; }
  Index count() const { return count_; }
  double fraction() const { return fraction_; }

 private:
  Kind kind_ = Kind::all;
  Index count_ = 0;
  bool soft_ = false;
  double fraction_ = 0;
};

inline Components all_components() { return {}; }
inline Components at_most(Index count) { return Components::at_most(count); }
inline Components variance_fraction(double f) { return Components::of_variance(f); }
/// Those that pass a permutation test (parallel analysis); the report has their p-values.
inline Components significant() { return Components::by(Components::Kind::significant); }
/// Linear PCA: those above the best threshold for white noise of unknown size.
inline Components gavish_donoho() { return Components::by(Components::Kind::gavish_donoho); }
/// Linear PCA, N ≥ d: as many as have the most evidence, for a Gaussian in white noise (Minka
/// 2000).
inline Components minka() { return Components::by(Components::Kind::minka); }

enum class Solver {
  automatic,   ///< by cost
  covariance,  ///< eigenpairs of the d×d scatter matrix: N ≫ d
  gram,        ///< eigenpairs of the N×N matrix of inner products: d ≫ N
  svd,         ///< singular values of the centred rows: the most digits
  randomized,  ///< block Krylov on products with the rows, from random vectors: N and d both large
  dense,       ///< kernels: all of the N×N matrix, LAPACK
  krylov,      ///< kernels: block Krylov, within any memory
};

/// What a list of solvers shows of one.
struct SolverEntry {
  std::string name;
  Solver solver = Solver::automatic;
  std::string notes;
};
std::span<const SolverEntry> solver_table();

enum class Scale {
  none,
  std,  ///< z-scores; constant columns are left as they are
};

struct FitOptions {
  Components components{};         ///< default: all
  std::optional<Kernel> kernel{};  ///< kernel PCA with this kernel
  bool precomputed = false;        ///< the rows are a kernel matrix, N×N
  bool clip = false;               ///< take an invalid kernel: its negative eigenvalues count as 0
  std::optional<Approx> approx{};  ///< kernels: not exactly, but for any number of rows
  /// Kernels: target run time, best effort. A fit that would take longer is approximated as well as
  /// the time allows; the report says what was done and why. Nothing is cut short. 0: no target
  double seconds = 0;
  Solver solver = Solver::automatic;
  double tolerance = 1e-10;  ///< largest residual, relative to the first eigenvalue
  bool center = true;
  Scale scale = Scale::none;
  int ddof = 1;                      ///< 1: N−1 in the variances; 0: N
  Missing missing = Missing::error;  ///< NaN cells: an error, `mean`, or `em` (see impute.hpp)
  /// So many rows, drawn at random, stay in the model for pre-images (preimage.hpp). Linear models
  /// need none; kernel models have their anchors without being asked.
  Index keep_rows = 0;
  std::size_t memory = 0;             ///< bytes; 0: half of what is free in machine or container
  int threads = 0;                    ///< 0: one per core
  std::uint64_t seed = default_seed;  ///< of start vectors, landmarks and random features
  Monitor monitor{};
};

/// Fits rows in memory. `weights`: one a row, as if rows were repeated.
template <class T>
Model<T> fit(const Rows<T>& x, const FitOptions& options = {}, const double* weights = nullptr);

/// Fits any Eigen expression; column-major ones are copied once.
template <class Derived>
Model<typename Derived::Scalar> fit(const Eigen::MatrixBase<Derived>& x,
                                    const FitOptions& options = {}) {
  using T = typename Derived::Scalar;
  const MatrixRef<T> rows(x.derived());
  return fit(Rows<T>(rows), options);
}

/// Fits a source. What fits in `options.memory` is read once and kept; a larger source is
/// streamed in one pass by the covariance route, two when small variances need rescue. Approximate
/// kernel PCA streams as well, in a few passes.
template <class T>
Model<T> fit(Source<T>& source, const FitOptions& options = {});

/// PCA of φ(x) for an explicit map φ. With `Scale::std` the map sees z-scores.
template <class T>
Model<T> fit(const Rows<T>& x, std::shared_ptr<const Map<T>> map, const FitOptions& options = {},
             const double* weights = nullptr);
template <class T>
Model<T> fit(Source<T>& source, std::shared_ptr<const Map<T>> map, const FitOptions& options = {});
template <class Derived>
Model<typename Derived::Scalar> fit(const Eigen::MatrixBase<Derived>& x,
                                    std::shared_ptr<const Map<typename Derived::Scalar>> map,
                                    const FitOptions& options = {}) {
  using T = typename Derived::Scalar;
  const MatrixRef<T> rows(x.derived());
  return fit(Rows<T>(rows), std::move(map), options);
}

/// ψ(q) = qᵀRq: the variance of the rows along each direction (rows of `directions`, any length;
/// they are normalised). One pass; one more for missing cells, two more for z-scores.
template <class T>
Vector<double> variance_along(Source<T>& source, const Matrix<double>& directions,
                              const FitOptions& options = {});
template <class T>
Vector<double> variance_along(const Rows<T>& x, const Matrix<double>& directions,
                              const FitOptions& options = {});

}  // namespace mercer
