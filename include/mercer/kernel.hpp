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
/// and n·m exponentials (or what the kernel's formula asks for).

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
  std::optional<double> value;  ///< none while it is open: left to the data
};

class Kernel {
 public:
  /// Reads a kernel expression: `2*rbf(gamma=0.1)*linear + poly(degree=2, coef0=1)^2`.
  /// Throws `Errc::bad_option`; the message shows the position. `functions`: kernels that
  /// `function(name)` may stand for.
  static Kernel parse(std::string_view text, std::span<const Kernel> functions = {});

  /// A user's own function of two dense rows. It is called from several threads at once.
  /// Its text form is `function(name)`, without parentheses in the name: whoever has the function
  /// can parse it back, and load a model that uses it (`LoadOptions`).
  static Kernel function(std::string name,
                         std::function<double(std::span<const double>, std::span<const double>)> k);

  /// Parses back to an equal kernel; numbers in their shortest exact form.
  std::string text() const;

  /// False while a parameter waits for the data: `rbf` alone takes its width from them.
  bool complete() const;
  /// The same kernel with every open parameter chosen for these rows (median heuristic on at most
  /// 1,000 of them, evenly spaced: γ = 1/median(‖x−y‖²); laplacian, exponential likewise).
  template <class T>
  Kernel completed(const Rows<T>& x) const;

  /// The parameters of all named kernels in the expression, from left to right; factors and
  /// exponents are not among them. A name that occurs once stands alone. One that several kernels
  /// have gets the kernel in front, and its number from the second kernel of that name on:
  ///
  ///     auto k = mercer::Kernel::parse("rbf(gamma=0.5) + matern");
  ///     k.parameters();                        // gamma 0.5, nu 1.5, length open
  ///     auto wide = k.with("length", 10);      // rbf(gamma=0.5) + matern(nu=1.5, length=10)
  ///     mercer::Kernel::parse("rbf + 2*rbf*poly").parameters();
  ///                                    // rbf.gamma, rbf#2.gamma, degree, coef0, poly.gamma
  std::vector<KernelParameter> parameters() const;
  /// The same kernel with one parameter set. `name` as in `parameters()`; the kernel may be in
  /// front of any: `matern.length`. Throws `Errc::bad_option` when there is no such parameter, when
  /// several have that name, and when the value is outside its domain.
  Kernel with(std::string_view name, double value) const;

  /// Positive semi-definite on every data set, by construction. False means unknown.
  bool always_valid() const;

  /// out(i, j) = k(x_i, y_j). Single-threaded: callers split tiles over threads. Tiles of some
  /// hundred rows are best; x and y may each be dense or sparse.
  /// Throws `Errc::bad_data` when a value overflows, with a hint to scale.
  template <class T>
  void tile(const Rows<T>& x, const Rows<T>& y, Eigen::Ref<Matrix<T>> out) const;

  /// Throws `Errc::bad_data` naming the first entry that the kernel has no value for (chi2: a
  /// negative one); rows are numbered from `first` + 1. The functions here do this by themselves;
  /// callers of `tile` that know where their rows lie do it first for a better message.
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

  /// Multiplications and additions a pair costs for d columns (stored entries a row when sparse),
  /// and transcendental functions: for estimates.
  double flops_per_pair(double d) const;

  explicit Kernel(std::shared_ptr<const detail::KernelNode> node) : node_(std::move(node)) {}
  const std::shared_ptr<const detail::KernelNode>& node() const { return node_; }

  friend Kernel operator+(const Kernel& a, const Kernel& b);
  friend Kernel operator*(const Kernel& a, const Kernel& b);
  /// Refused (`Errc::bad_option`) unless the factor is positive and finite.
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

/// The kernels by name. Each refuses parameters outside its domain (`Errc::bad_option`).
namespace kernels {

struct Poly {
  int degree = 3;
  double coef0 = 1;
  double gamma = 1;
};
/// One of the two, or neither: by the median heuristic. σ is a length: γ = 1/(2σ²) for rbf, where
/// γ multiplies a square, and 1/σ for laplacian and exponential.
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
Kernel matern(const Matern& = {});  ///< (1 + s) exp(−s), s = √3 ‖x−y‖/ℓ; other ν alike
Kernel rational_quadratic(const RationalQuadratic& = {});  ///< (1 + ‖x−y‖²/(2αℓ²))^−α
Kernel cosine();                      ///< x·y / (‖x‖‖y‖), 0 where a row is 0
Kernel sigmoid(const Sigmoid& = {});  ///< tanh(γ x·y + c); not always valid
Kernel chi2(double gamma = 1);        ///< exp(−γ Σ (x−y)²/(x+y)), x, y ≥ 0
Kernel additive_chi2();               ///< Σ 2xy/(x+y), x, y ≥ 0
Kernel constant(double value = 1);    ///< value > 0

}  // namespace kernels

/// What `mercer kernel list` shows of one kernel.
struct KernelEntry {
  std::string name, formula, parameters, notes;
  std::string sklearn, mlpack, kernlab;  ///< the spelling there; empty: absent
};
std::span<const KernelEntry> kernel_table();

/// Is k symmetric and its matrix positive semi-definite on these rows?
struct MercerCheck {
  Index rows = 0;  ///< rows checked: all, or an even sample
  Index of = 0;    ///< rows there were
  bool symmetric = true;
  bool positive = true;  ///< no eigenvalue below −noise
  double asymmetry = 0;  ///< largest |k(x,y) − k(y,x)|, and where
  Index row = 0, column = 0;
  double smallest = 0, largest = 0;  ///< eigenvalues
  double noise = 0;                  ///< rounding that an eigenvalue may carry: N·ε·largest
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
/// The same for a matrix that was computed elsewhere.
MercerCheck check_kernel_matrix(const Matrix<double>& k, const RunOptions& options = {});

}  // namespace mercer
