// d ≫ N: eigenpairs of the N×N Gram matrix, w_i = Aᵀv_i/√μ_i.
#include "core/memory.hpp"
#include "core/require.hpp"
#include "operators/gram.hpp"
#include "pca/linear/gram_shares.hpp"
#include "pca/linear/moment_errors.hpp"
#include "pca/linear/solver_row.hpp"
#include "pca/linear/spectrum_checks.hpp"
#include "pca/linear/triangular_factor.hpp"
#include "pca/method_cost.hpp"
#include "solvers/dense.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace mercer {

namespace {

/// What could not be known before the eigenvalues were.
void require_room(const std::string& what, double bytes, double budget) {
  // Bytes that are left: below 0 where the rows alone exceed the budget, which is none.
  require(bytes <= budget, Errc::out_of_memory,
          "{} {} of working memory in addition to the rows, and {} are allowed; use a larger "
          "`memory` or fewer `components`",
          what, format_bytes(bytes), format_bytes(std::max(0.0, budget)));
}

template <class T>
Spectrum by_gram(Passes<T>& passes, const FitOptions& options, double budget) {
  Spectrum s = begun(passes, options);
  const Index k_most = wanted(passes, options);
  const CentredRows<T> a = centred_rows(passes, s, options);
  const Gram g = gram_of(passes, a, options);
  passes.took(2);  // the products, and the combinations of rows
  const Matrix<double>& products = g.products;
  const double rows = static_cast<double>(passes.rows());
  s.total = products.trace();
  for (Index i = 0; i < products.rows(); ++i)  // the upper triangle is all there is
    s.squares += 2 * products.row(i).tail(products.rows() - i).squaredNorm() -
                 products(i, i) * products(i, i);
  // Subtracting the rest of the mean takes four sums over the rows of the matrix, whose error is
  // their rounding times the lengths of these rows.
  s.rounding = rounding_of_sums(g.depth + 10, g.squares) +
               (options.center ? roundings(4 * (rows + 4)) * g.norm : RoundingBound{}) +
               rounding_of_eigenpairs(products.rows()) * std::sqrt(s.squares);
  if (options.missing == Missing::mean) s.rounding = s.rounding + rounding_of_filling(s, passes);

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
  const double n = rows, d = static_cast<double>(passes.features());
  if (s.rescued) {
    require_room("small variances need an SVD of the rows, which takes", wide_svd_bytes(n, d),
                 budget);
    take_rows(a, passes, options, s);
    return s;
  }
  const Index k = kept_components(options.components, s);
  require_room(fmt::format("{} components of {:.0f} columns take", k, d),
               8 * (static_cast<double>(k) * d + 4 * n * n), budget);
  Matrix<double> v = pairs.vectors.topRows(k);
  v.array().colwise() /= s.eigenvalues.head(k).array().sqrt();
  s.components = combination_of(passes, v, a, options);
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
    .flops =
        [](const Facts& f, const FitOptions&) {
          const double n = f.rows;
          return (f.sparse ? 4 * f.entries * n : n * n * f.columns) + eigen_flops(n);
        },
    .bytes =
        [](const Facts& f, const FitOptions& o) {
          const double n = f.rows, t = f.threads;
          const double sums = n <= 256 ? 8 * t : n <= 1024 ? t : 1;
          // The components; once more where the model has them divided by scales, or as floats.
          const bool twice = o.scale == Scale::std || f.number_bytes < 8;
          return 8 * (n * n * (4 + sums) + t * n * 512) +
                 known_components(f, o) * f.columns * (8 + (twice ? f.number_bytes : 0));
        },
    .passes = [](const FitOptions&) { return 3.0; },
    .needs_rows = true,
    .distributed = true,
    .find = []<class T>(Passes<T>& passes, const FitOptions& options,
                        double budget) { return by_gram(passes, options, budget); },
};

}  // namespace mercer
