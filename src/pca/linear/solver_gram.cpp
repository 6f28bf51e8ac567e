// d ≫ N: eigenpairs of the N×N Gram matrix, w_i = Aᵀv_i/√μ_i.
#include "operators/gram.hpp"
#include "pca/linear/moment_errors.hpp"
#include "pca/linear/solver_row.hpp"
#include "pca/linear/spectrum_checks.hpp"
#include "pca/linear/triangular_factor.hpp"
#include "pca/method_cost.hpp"
#include "solvers/dense.hpp"

#include <cmath>
#include <utility>

namespace mercer {

namespace {

template <class T>
Spectrum by_gram(Passes<T>& passes, const FitOptions& options) {
  Spectrum s = begun(passes, options);
  const Index k_most = wanted(passes, options);
  const CentredRows<T> a = centred_rows(passes, s, options);
  const Gram g = gram(a, options.threads, options.monitor);
  passes.took(2);  // the products, and the combinations of rows
  const Matrix<double>& products = g.products;
  const double rows = static_cast<double>(passes.rows());
  s.total = products.trace();
  for (Index i = 0; i < products.rows(); ++i)  // the upper triangle is all there is
    s.squares += 2 * products.row(i).tail(products.rows() - i).squaredNorm() -
                 products(i, i) * products(i, i);
  // Taking off what is left of the mean costs four sums over the rows of the matrix, which are off
  // by their roundings times the lengths of these rows.
  s.rounding = rounding_of_sums(g.depth + 10, g.squares) +
               (options.center ? roundings(4 * (rows + 4)) * g.norm : RoundingBound{}) +
               rounding_of_eigenpairs(products.rows()) * std::sqrt(s.squares);
  if (options.missing == Missing::mean)
    s.rounding = s.rounding + rounding_of_filling(s.offset.norm(), rows, passes.weight(), s.total);

  auto pairs = dense_eigenpairs(products, k_most, options.tolerance, options.threads);
  s.rounding =
      s.rounding + 2.1 * std::abs(pairs.values[0]) *
                       rounding_of_scales(roundings(2 * rows + 16), rows, passes.weight(), options);
  require_semidefinite(pairs.values, s.rounding, passes.name());
  s.eigenvalues = std::move(pairs.values);
  s.errors = pairs.residuals;
  s.residuals = pairs.residuals / s.eigenvalues[0];
  s.noise = 16 * epsilon<double> * epsilon<double> * s.total;
  // Directions cost a product with all rows: they are asked only where noise can matter.
  const double most = most_noise(s.column_noise, rows);
  Index certain = 0;
  while (certain < k_most && s.eigenvalues[certain] > most) ++certain;
  s.rescued = needs_rescue(s, options) || certain < k_most;
  if (s.rescued) {
    take_rows(a, passes, options, s);
    return s;
  }
  const Index k = kept_components(options.components, s);
  Matrix<double> v = pairs.vectors.topRows(k);
  v.array().colwise() /= s.eigenvalues.head(k).array().sqrt();
  s.components = combine(v, a, options.threads);
  s.components.rowwise().normalize();
  // ‖Sq − μq‖ = ‖Aᵀ(Gv − μv)‖/√μ ≤ √(μ₁/μ)·‖Gv − μv‖
  s.residuals.head(k).array() *= (s.eigenvalues[0] / s.eigenvalues.head(k).array()).sqrt();
  return s;
}

}  // namespace

extern const LinearSolverRow gram_solver = {
    .name = "gram",
    .solver = Solver::gram,
    .notes = "eigenpairs of the N x N Gram matrix; d much larger than N",
    .what = "the Gram matrix",
    .flops = [](const Facts& f, const FitOptions&) {
      const double n = f.rows;
      return (f.sparse ? 4 * f.entries * n : n * n * f.columns) + eigen_flops(n);
    },
    .bytes = [](const Facts& f) {
      const double n = f.rows, t = f.threads;
      return 8 * (n * n * (4 + (n <= 1024 ? t : 1)) + t * n * 512);
    },
    .passes = [](const FitOptions&) { return 3.0; },
    .needs_rows = true,
    .find = []<class T>(Passes<T>& passes, const FitOptions& options, double) {
      return by_gram(passes, options);
    },
};

}  // namespace mercer
