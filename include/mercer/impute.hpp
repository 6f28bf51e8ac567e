#pragma once
/// \file
/// Imputation of missing values by iterative PCA.
///
///     auto table = mercer::impute(rows, {.components = 2});   // rows: missing values are NaN
///     table.x;                                                 // complete
///     auto model = mercer::fit(table, {.components = 2});
///
/// Missing values start as the mean of their column and are replaced by the reconstruction from the
/// PCA of the completed rows, until convergence. Each component is shrunk by (λ − σ²)/λ, where σ²
/// is the mean of the discarded variances (probabilistic PCA): without this, iterations fit the
/// noise (Josse and Husson 2012).
///
/// Costs one fit per iteration; few missing values take about ten iterations, many take hundreds.
/// Convergence is linear; `change` bounds the remaining distance to the limit.

#include <mercer/fit.hpp>

namespace mercer {

template <class T>
struct Imputed {
  Matrix<T> x;
  Imputation report;
};

struct ImputeOptions {
  double tolerance = 1e-6;  ///< distance to the limit, in standard deviations of the column
  int iterations = 1000;    ///< at most; `Errc::not_converged` after them
};

/// `fit.components` is a count, below the number of columns. Throws `Errc::bad_data` naming a row
/// or a column that is entirely missing.
template <class T>
Imputed<T> impute(const Rows<T>& x, const FitOptions& fit, const ImputeOptions& options = {},
                  Weights weights = {});
template <RowsLike X>
Imputed<typename X::Scalar> impute(const X& x, const FitOptions& fit,
                                   const ImputeOptions& options = {}, Weights weights = {}) {
  return impute(Rows<typename X::Scalar>(x), fit, options, weights);
}

/// PCA of imputed rows; the report has the number of missing values. `schema`: names for the model.
template <class T>
Model<T> fit(const Imputed<T>& rows, const FitOptions& options, Weights weights = {},
             const Schema& schema = {});

}  // namespace mercer
