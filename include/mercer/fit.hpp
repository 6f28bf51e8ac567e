#pragma once
/// \file
/// From rows to a `Model`.
///
///     Eigen::MatrixXd x = …;                                       // one row per sample
///     auto model = mercer::fit(x, {.components = 2});
///     auto most  = mercer::fit(x, {.components = 0.95});           // of the variance
///     auto big   = mercer::fit(*mercer::open<double>("big.npy"), {.memory = 256 << 20});
///
///     auto kernel = mercer::kernels::rbf({.gamma = 2});
///     auto rings = mercer::fit(x, {.components = 2, .kernel = kernel});
///     auto cubic = mercer::fit(x, mercer::polynomial_map<double>(x.cols(), 3));
///     auto many = mercer::fit(*mercer::open<double>("big.npy"),
///                             {.kernel = kernel, .approx = mercer::Cholesky{.rank = 500}});
///
/// The cost depends on the method, see `Solver`; `plan` (plan.hpp) states it before the fit.

#include <mercer/approx.hpp>
#include <mercer/kernel.hpp>
#include <mercer/model.hpp>
#include <mercer/progress.hpp>
#include <mercer/seed.hpp>
#include <mercer/source.hpp>
#include <mercer/team.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace mercer {

class FitCheckpoint;

/// Number of components to keep: a count, a fraction of the variance, all, or selected by a
/// statistical criterion (see significance.hpp).
class Components {
 public:
  enum class Kind { all, count, fraction, significant, gavish_donoho, minka };
  Components() = default;
  /// `{.components = 8}`
  template <std::integral N>
  requires(!std::same_as<N, bool>) Components(N count)
      : kind_(Kind::count), count_(static_cast<Index>(count)) {}  // NOLINT
  /// `{.components = 0.9}`: so many that they have 90 % of the variance.
  template <std::floating_point F>
  Components(F fraction) : kind_(Kind::fraction), fraction_(fraction) {}  // NOLINT
  static Components by(Kind kind) {
    Components c;
    c.kind_ = kind;
    return c;
  }
  /// This many, or all if there are fewer.
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
inline Components variance_fraction(double f) { return f; }
/// Those that pass a permutation test (parallel analysis); the report has their p-values.
inline Components significant() { return Components::by(Components::Kind::significant); }
/// Linear PCA: those above the optimal threshold for white noise of unknown variance.
inline Components gavish_donoho() { return Components::by(Components::Kind::gavish_donoho); }
/// Linear PCA, N ≥ d: the number with the largest evidence, for a Gaussian in white noise (Minka
/// 2000).
inline Components minka() { return Components::by(Components::Kind::minka); }

/// The method of linear or exact kernel PCA. Flops are for N rows of d columns, k components, a
/// kernel value of c flops and t = 2 − log₁₀ tolerance passes.
enum class Solver {
  automatic,   ///< the cheapest that fits into memory
  covariance,  ///< eigenpairs of the d×d scatter matrix, one pass: N·d² + 10·d³
  gram,        ///< eigenpairs of the N×N matrix of inner products: N²·d + 10·N³
  svd,         ///< singular values of the centred rows, most accurate: 4·N·d² + 10·min(N, d)³
  randomized,  ///< block Krylov on products with the rows, from random vectors, t passes:
               ///< t·(64·N·d + 160·d·(k + 256))
  dense,       ///< kernels: LAPACK on the full N×N matrix: N²/2·c + 9·N³
  krylov,      ///< kernels: block Krylov, within any memory: N²/2·c (ten times that when not all
               ///< tiles fit) + 480·N²
};

/// Entry in the list of solvers.
struct SolverEntry {
  std::string name;
  Solver solver = Solver::automatic;
  std::string notes;
};
std::span<const SolverEntry> solver_table();

enum class Scale {
  none,
  std,  ///< z-scores; constant columns are not scaled
};

struct FitOptions {
  Components components{};  ///< default: all
  /// Linear PCA and maps: directions of zero variance are components too, after the others. They
  /// are relations that all rows satisfy (relations.hpp). Needs more rows than features.
  bool keep_null = false;
  std::optional<Kernel> kernel{};  ///< kernel PCA with this kernel
  bool precomputed = false;        ///< the rows are a kernel matrix, N×N
  bool clip = false;               ///< accept an invalid kernel: negative eigenvalues count as 0
  std::optional<Approx> approx{};  ///< kernels: approximate, for many rows
  /// Kernels: target run time, best effort. A fit that would take longer is approximated with the
  /// largest rank that the time allows; the report states the choice. 0: no target
  double seconds = 0;
  Solver solver = Solver::automatic;
  double tolerance = 1e-10;  ///< largest residual, relative to the first eigenvalue
  bool center = true;
  Scale scale = Scale::none;
  int ddof = 1;                      ///< 1: N−1 in the variances; 0: N
  Missing missing = Missing::error;  ///< NaN cells: an error, `mean`, or `em` (see impute.hpp)
  /// Number of rows, drawn at random, to store in the model for pre-images (preimage.hpp). Linear
  /// models need none; kernel models always store their anchors.
  Index keep_rows = 0;
  std::size_t memory = 0;             ///< budget in bytes; 0: half of the free memory
  int threads = 0;                    ///< 0: one per core
  std::uint64_t seed = default_seed;  ///< of start vectors, landmarks and random features
  Monitor monitor{};
  /// Processes that fit together: the rows given here are this one's share of all rows, in the
  /// order of the ranks. All processes get the model of all rows. Null: this process alone
  Team* team = nullptr;
  /// Where the results of passes are saved (fit_checkpoint.hpp): for one fit. Null: nowhere
  FitCheckpoint* checkpoint = nullptr;
};

/// Fits rows in memory. `weights`: one per row, as if rows were repeated.
template <class T>
Model<T> fit(const Rows<T>& x, const FitOptions& options = {}, Weights weights = {});

/// Fits any Eigen expression; what does not lie row by row is copied once.
template <RowsLike X>
Model<typename X::Scalar> fit(const X& x, const FitOptions& options = {}, Weights weights = {}) {
  return fit(Rows<typename X::Scalar>(x), options, weights);
}

/// Fits a source. If it fits into `options.memory`, it is read once and kept; a larger source is
/// streamed in one pass by the covariance solver, or two if small variances need the extra
/// accuracy. Approximate kernel PCA is streamed as well, in a few passes.
template <class T>
Model<T> fit(Source<T>& source, const FitOptions& options = {});

/// PCA of φ(x) for an explicit map φ. With `Scale::std` the map is applied to z-scores.
template <class T>
Model<T> fit(const Rows<T>& x, std::shared_ptr<const Map<T>> map, const FitOptions& options = {},
             Weights weights = {});
template <class T>
Model<T> fit(Source<T>& source, std::shared_ptr<const Map<T>> map, const FitOptions& options = {});
template <RowsLike X>
Model<typename X::Scalar> fit(const X& x, std::shared_ptr<const Map<typename X::Scalar>> map,
                              const FitOptions& options = {}, Weights weights = {}) {
  return fit(Rows<typename X::Scalar>(x), std::move(map), options, weights);
}

/// ψ(q) = qᵀRq: the variance of the rows along each direction (rows of `directions`, any length;
/// they are normalised). One pass; one more for missing cells, two more for z-scores.
template <class T>
Vector<double> variance_along(Source<T>& source, const Matrix<double>& directions,
                              const FitOptions& options = {});
template <class T>
Vector<double> variance_along(const Rows<T>& x, const Matrix<double>& directions,
                              const FitOptions& options = {});
template <RowsLike X>
Vector<double> variance_along(const X& x, const Matrix<double>& directions,
                              const FitOptions& options = {}) {
  return variance_along(Rows<typename X::Scalar>(x), directions, options);
}

}  // namespace mercer
