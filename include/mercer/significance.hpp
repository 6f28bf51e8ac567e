#pragma once
/// \file
/// Number of components by statistical tests.
///
///     auto model = mercer::fit(x, {.components = mercer::significant()});
///     model.outputs();                         // the number of significant ones
///     model.report().chosen->p_values;         // of each, and of the first insignificant one
///
///     auto choice = mercer::significance(rows, {.kernel = mercer::kernels::rbf({.gamma = 0.1})});
///
/// Parallel analysis (Horn 1965; for kernels Jørgensen and Hansen 2012): permuting each column
/// independently keeps its distribution and destroys the correlation between columns. Adjacent
/// columns of 0 and 1 that add up to 1 in every row are the indicators of one category and are
/// permuted together. With weights, values are exchanged among rows of equal weight, or of similar
/// weight if there are many weights. A component is significant if fewer than 5 % of permuted data
/// sets reach its eigenvalue, and all components before it are significant. The p-value counts the
/// data set itself as a permutation, so it is at least 1/(permutations + 1) and valid for any
/// number of permutations.
///
/// Costs one fit to a sample of rows per permutation: up to 10,000 rows, 1,000 for kernels.

#include <mercer/fit.hpp>

#include <vector>

namespace mercer {

struct SignificanceOptions {
  int permutations = 99;
  double level = 0.05;
  Index most_rows = 0;  ///< of the sample; 0: automatic
};

/// Parallel analysis of rows. `fit.components` is ignored. The number of kept components is that of
/// p-values of at most `level`. Throws `Errc::bad_option` for a precomputed kernel matrix, which
/// has no columns to permute.
template <class T>
ComponentChoice significance(const Rows<T>& x, const FitOptions& fit = {},
                             const SignificanceOptions& options = {}, Weights weights = {});
template <RowsLike X>
ComponentChoice significance(const X& x, const FitOptions& fit = {},
                             const SignificanceOptions& options = {}, Weights weights = {}) {
  return significance(Rows<typename X::Scalar>(x), fit, options, weights);
}

/// The same for the features of a map.
template <class T>
ComponentChoice significance(const Rows<T>& x, std::shared_ptr<const Map<T>> map,
                             const FitOptions& fit = {}, const SignificanceOptions& options = {},
                             Weights weights = {});
template <RowsLike X>
ComponentChoice significance(const X& x, std::shared_ptr<const Map<typename X::Scalar>> map,
                             const FitOptions& fit = {}, const SignificanceOptions& options = {},
                             Weights weights = {}) {
  return significance(Rows<typename X::Scalar>(x), std::move(map), fit, options, weights);
}

/// Number of leading p-values that are at most `level`.
Index significant_components(const ComponentChoice& choice, double level = 0.05);

/// The threshold ω(β), relative to the median of the singular values of an m×n matrix, β = m/n ≤ 1,
/// above which a singular value is kept (Gavish and Donoho 2014: smallest asymptotic error for
/// white noise of unknown variance). ω(1) ≈ 2.858.
double gavish_donoho_threshold(double beta);

/// log p(rows | k) for k = 1 … d − 1: Laplace's approximation to the evidence for k components in
/// white noise (Minka 2000). `variances`: all d, descending, including zeros. O(d²).
///
///     mercer::Index best;
///     mercer::minka_evidence(model.explained_variance(), 178).maxCoeff(&best);   // k = best + 1
///
/// Throws `Errc::bad_data` when d < 2 or there is no variance.
Vector<double> minka_evidence(const Vector<double>& variances, double rows);

}  // namespace mercer
