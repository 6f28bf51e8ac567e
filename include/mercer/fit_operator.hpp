#pragma once
/// \file
/// A `Model` of a kernel matrix that is given by its products only (on disk, on other machines, on
/// a graphics card).
///
///     struct Similarities {                       // K, N×N
///       mercer::Matrix<double> k;
///       mercer::Index size() const { return k.rows(); }
///       void apply(const mercer::Matrix<double>& v, mercer::Matrix<double>& out) {
///         out.noalias() = k * v;                  // wherever K is
///       }
///       double trace() const { return k.trace(); }
///     };
///     Similarities k{mercer::kernels::rbf({.gamma = 1}).matrix(x)};
///     auto model = mercer::fit(mercer::Centered(k), {.components = 3});
///     model.training_scores();                    // N×3
///     model.transform(rows);                      // of k(x, x_1) … k(x, x_N), one row each
///
/// The model is that of kernel PCA: eigenpairs of A = JKJ, J = I − 11ᵀ/N. It has scores of the N
/// rows, variances and a certificate. If K1/N is known, it scores new rows: from their kernel
/// values with the N rows, or, given kernel and rows, from the rows themselves. Costs the passes of
/// `eigs` (eigs.hpp).

#include <mercer/eigs.hpp>
#include <mercer/fit.hpp>
#include <mercer/model.hpp>
#include <mercer/operator.hpp>

#include <concepts>
#include <functional>
#include <type_traits>

namespace mercer {

/// JKJ for an operator K with a trace, which lives elsewhere. K1/N takes one `apply` to one vector.
template <SymmetricOperator K>
requires requires(K& k) {
  { k.trace() } -> std::convertible_to<double>;
}
class Centered {
 public:
  explicit Centered(K& k) : k_(&k) {
    const Index n = k.size();
    const Matrix<double> one = Matrix<double>::Ones(n, 1);
    Matrix<double> sums(n, 1);
    k.apply(one, sums);
    mean_ = sums.col(0) / static_cast<double>(n);
  }

  Index size() const { return k_->size(); }
  void apply(const Matrix<double>& v, Matrix<double>& out) {
    const Matrix<double> centred = v.rowwise() - v.colwise().mean();
    k_->apply(centred, out);
    out.rowwise() -= out.colwise().mean().eval();
  }
  double trace() const { return k_->trace() - mean_.sum(); }
  const Vector<double>& mean() const { return mean_; }

 private:
  K* k_;
  Vector<double> mean_;
};

namespace detail {
struct CenteredProduct {
  Index size = 0;
  Product apply;
  std::function<double()> trace;
  std::function<Vector<double>()> mean;
};
Model<double> fit_operator(const CenteredProduct& a, const Kernel* kernel, const Rows<double>& rows,
                           const FitOptions& options);

template <class A>
CenteredProduct product_of(A& a) {
  return {a.size(), [&a](const Matrix<double>& v, Matrix<double>& out) { a.apply(v, out); },
          [&a] { return static_cast<double>(a.trace()); },
          [&a] { return Vector<double>(a.mean()); }};
}
}  // namespace detail

/// Of the options `components` (a count, a fraction or all), `tolerance`, `ddof`, `memory`,
/// `threads`, `seed` and `monitor` are used; `solver` is krylov. An operator without `mean()`
/// gives a model whose `transform` throws `Errc::bad_option`.
template <class A>
requires CenteredOperator<std::remove_cvref_t<A>> Model<double> fit(
    A&& a, const FitOptions& options = {}) {
  return detail::fit_operator(detail::product_of(a), nullptr, {}, options);
}

/// The same for an operator that is `kernel` on `rows`, centred: the model scores new rows.
template <class A>
requires CenteredOperator<std::remove_cvref_t<A>> Model<double> fit(
    A&& a, const Kernel& kernel, const Rows<double>& rows, const FitOptions& options = {}) {
  return detail::fit_operator(detail::product_of(a), &kernel, rows, options);
}

}  // namespace mercer
