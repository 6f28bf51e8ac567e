#pragma once
/// \file
/// `Kernel`: k(x, y) as an immutable value, with algebra and a text form.
///
///     using namespace mercer;
///     Kernel k = 0.5 * kernels::rbf({.gamma = 0.1}) + pow(kernels::linear(), 2);
///     Kernel same = Kernel::parse(k.text());           // "0.5*rbf(gamma=0.1) + linear()^2"
///     Matrix<double> gram = k.matrix(x);               // N×N, in parallel
///
/// A kernel evaluates whole tiles, never pairs: one matrix product (or a loop over differences
/// where there is no inner product) and one SIMD pass. Cost of a tile of n×m pairs: 2·n·m·d flops
/// and n·m exponentials (or other functions of the kernel's formula).

#include <mercer/matrix.hpp>
#include <mercer/progress.hpp>
#include <mercer/rows.hpp>

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mercer {

namespace detail {
class KernelNode;
}

/// A number in a kernel, such as the width of a `matern` in a sum.
struct KernelParameter {
  std::string name;             ///< unique in its kernel, see `Kernel::parameters`
  std::optional<double> value;  ///< none: estimated from the data
};

class Kernel {
 public:
  /// Reads a kernel expression: `2*rbf(gamma=0.1)*linear + poly(degree=2, coef0=1)^2`.
  /// Throws `Errc::bad_option`; the message shows the position. `functions`: kernels that
  /// `function(name)` may stand for.
  static Kernel parse(std::string_view text, std::span<const Kernel> functions = {});

  /// A user-defined function of two dense rows. It is called from several threads at once. Its text
  /// form is `function(name)`, without parentheses in the name. It parses back, and a model that
  /// uses it loads, if the function is passed (`LoadOptions`).
  static Kernel function(std::string name,
                         std::function<double(std::span<const double>, std::span<const double>)> k);

  /// Parses back to an equal kernel; numbers in their shortest exact form.
  std::string text() const;

  /// False if a parameter is to be estimated from the data, such as the width of `rbf` alone.
  bool complete() const;
  /// The same kernel with every open parameter estimated from these rows (median heuristic on at
  /// most 1,000 of them, evenly spaced: γ = 1/median(‖x−y‖²); laplacian, exponential likewise).
  template <class T>
  Kernel completed(const Rows<T>& x) const;

  /// The parameters of all named kernels in the expression, from left to right; factors and
  /// exponents are not among them. A name that occurs once is used alone. A name of several kernels
  /// is prefixed with the kernel, and numbered from the second kernel of that name on:
  ///
  ///     auto k = mercer::Kernel::parse("rbf(gamma=0.5) + matern");
  ///     k.parameters();                        // gamma 0.5, nu 1.5, length open
  ///     auto wide = k.with("length", 10);      // rbf(gamma=0.5) + matern(nu=1.5, length=10)
  ///     mercer::Kernel::parse("rbf + 2*rbf*poly").parameters();
  ///                                    // rbf.gamma, rbf#2.gamma, degree, coef0, poly.gamma
  std::vector<KernelParameter> parameters() const;
  /// The same kernel with one parameter set. `name` as in `parameters()`; any name may have the
  /// kernel as a prefix: `matern.length`. Throws `Errc::bad_option` when there is no such
  /// parameter, when several have that name, and when the value is outside its domain.
  Kernel with(std::string_view name, double value) const;

  /// Positive semi-definite on every data set, by construction. False means unknown.
  bool always_valid() const;

  /// out(i, j) = k(x_i, y_j). Single-threaded: callers split tiles over threads. Tiles of a few
  /// hundred rows are best; x and y may each be dense or sparse. Throws `Errc::bad_data` when a
  /// value overflows, with a hint to scale.
  template <class T>
  void tile(const Rows<T>& x, const Rows<T>& y, Eigen::Ref<Matrix<T>> out) const;

  /// Throws `Errc::bad_data` naming the first entry outside the domain of the kernel (chi2: a
  /// negative one); rows are numbered from `first` + 1. The functions here call it; callers of
  /// `tile` may call it first for correct row numbers.
  template <class T>
  void require_domain(const Rows<T>& x, Index first = 0) const;

  /// k(x_i, x_i), as exact as the kernel allows (rbf: 1).
  template <class T>
  Vector<T> diagonal(const Rows<T>& x) const;

  /// All pairs, in parallel. The second is exactly symmetric, each pair computed once.
  template <class T>
  Matrix<T> matrix(const Rows<T>& x, const Rows<T>& y, const RunOptions& options = {}) const;
  template <class T>
  Matrix<T> matrix(const Rows<T>& x, const RunOptions& options = {}) const;

  /// The same for Eigen's matrices and `Csr`.
  template <RowsLike X>
  Kernel completed(const X& x) const {
    return completed(Rows<typename X::Scalar>(x));
  }
  template <RowsLike X>
  Vector<typename X::Scalar> diagonal(const X& x) const {
    return diagonal(Rows<typename X::Scalar>(x));
  }
  template <RowsLike X, RowsLike Y>
  requires std::same_as<typename X::Scalar, typename Y::Scalar> Matrix<typename X::Scalar> matrix(
      const X& x, const Y& y, const RunOptions& options = {})
  const { return matrix(Rows<typename X::Scalar>(x), Rows<typename X::Scalar>(y), options); }
  template <RowsLike X>
  Matrix<typename X::Scalar> matrix(const X& x, const RunOptions& options = {}) const {
    return matrix(Rows<typename X::Scalar>(x), options);
  }

  /// Estimated flops per pair for d columns (stored entries per row when sparse), including
  /// transcendental functions.
  double flops_per_pair(double d) const;

  explicit Kernel(std::shared_ptr<const detail::KernelNode> node) : node_(std::move(node)) {}
  const std::shared_ptr<const detail::KernelNode>& node() const { return node_; }

  friend Kernel operator+(const Kernel& a, const Kernel& b);
  friend Kernel operator*(const Kernel& a, const Kernel& b);
  /// Throws `Errc::bad_option` unless the factor is positive and finite.
  friend Kernel operator*(double factor, const Kernel& k);
  friend Kernel operator*(const Kernel& k, double factor);
  /// k^n with n ≥ 1.
  friend Kernel pow(const Kernel& k, int n);

 private:
  std::shared_ptr<const detail::KernelNode> node_;
};

Kernel operator+(const Kernel& a, const Kernel& b);
Kernel operator*(const Kernel& a, const Kernel& b);
Kernel operator*(double factor, const Kernel& k);
Kernel operator*(const Kernel& k, double factor);
Kernel pow(const Kernel& k, int n);

/// The named kernels. Parameters outside their domain throw `Errc::bad_option`.
namespace kernels {

struct Poly {
  int degree = 3;
  double coef0 = 1;
  double gamma = 1;
};
/// One of the two, or neither for the median heuristic. σ is a length: γ = 1/(2σ²) for rbf, where γ
/// multiplies a square, and 1/σ for laplacian and exponential.
struct Width {
  std::optional<double> gamma{};
  std::optional<double> sigma{};
};
struct Matern {
  double nu = 1.5;  ///< 0.5, 1.5 or 2.5
  std::optional<double> length{};
};
struct RationalQuadratic {
  double alpha = 1;
  std::optional<double> length{};
};
struct Sigmoid {
  double gamma = 1;
  double coef0 = 0;
};

Kernel linear();                        ///< x·y
Kernel poly(const Poly& = {});          ///< (γ x·y + c)^degree
Kernel rbf(const Width& = {});          ///< exp(−γ‖x−y‖²)
Kernel laplacian(const Width& = {});    ///< exp(−γ‖x−y‖₁)
Kernel exponential(const Width& = {});  ///< exp(−γ‖x−y‖)
Kernel matern(const Matern& = {});  ///< (1 + s) exp(−s), s = √3 ‖x−y‖/ℓ; similarly for other ν
Kernel rational_quadratic(const RationalQuadratic& = {});  ///< (1 + ‖x−y‖²/(2αℓ²))^−α
Kernel cosine();                      ///< x·y / (‖x‖‖y‖), 0 where a row is 0
Kernel sigmoid(const Sigmoid& = {});  ///< tanh(γ x·y + c); not always valid
Kernel chi2(double gamma = 1);        ///< exp(−γ Σ (x−y)²/(x+y)), x, y ≥ 0
Kernel additive_chi2();               ///< Σ 2xy/(x+y), x, y ≥ 0
Kernel constant(double value = 1);    ///< value > 0

}  // namespace kernels

/// Entry in the list of kernels (`mercer kernel list`).
struct KernelEntry {
  std::string name, formula, parameters, notes;
  std::string sklearn, mlpack, kernlab;  ///< name there; empty: absent
};
std::span<const KernelEntry> kernel_table();

/// Whether k is symmetric and its matrix positive semi-definite on the given rows.
struct MercerCheck {
  Index rows = 0;  ///< rows checked: all, or evenly spaced ones
  Index of = 0;    ///< rows in total
  bool symmetric = true;
  bool positive = true;  ///< no eigenvalue below −noise
  double asymmetry = 0;  ///< largest |k(x,y) − k(y,x)|, and where
  Index row = 0, column = 0;
  double smallest = 0, largest = 0;  ///< eigenvalues
  double noise = 0;                  ///< bound on the rounding of an eigenvalue: N·ε·largest
  Vector<double> witness;            ///< unit z with zᵀKz = smallest < 0; empty when positive
  std::vector<Index> sample;         ///< the rows that z's entries belong to
  bool valid() const { return symmetric && positive; }
};
struct CheckOptions {
  Index rows = 1000;  ///< at most so many, evenly spaced
  int threads = 0;    ///< 0: one per core
  Monitor monitor{};
};
template <class T>
MercerCheck check_kernel(const Kernel& kernel, const Rows<T>& x, const CheckOptions& options = {});
template <RowsLike X>
MercerCheck check_kernel(const Kernel& kernel, const X& x, const CheckOptions& options = {}) {
  return check_kernel(kernel, Rows<typename X::Scalar>(x), options);
}
/// The same for a precomputed matrix.
MercerCheck check_kernel_matrix(const Matrix<double>& k, const RunOptions& options = {});

}  // namespace mercer
