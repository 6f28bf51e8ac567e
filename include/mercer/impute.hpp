#pragma once
/// \file
/// What missing cells may hold, by what the other cells of their row say (linear PCA).
///
///     auto table = mercer::impute(rows, {.components = 2});   // rows: NaN where a cell is missing
///     table.x;                                                 // complete
///     auto model = mercer::fit(table, {.components = 2});
///
/// Iterated low-rank imputation: missing cells begin as the mean of their column; PCA of the
/// completed rows says what they should be, and so on until they stay as they are. Each component
/// is shrunk by (λ − σ²)/λ, σ² the mean of the variances that are left out (probabilistic PCA):
/// without that, iterations fit the noise (Josse and Husson 2012).
///
/// Costs one fit an iteration; few missing cells take some ten iterations, many take hundreds.
/// Convergence is linear; `change` says how far away the limit may still be.

#include <mercer/fit.hpp>

namespace mercer {

template <class T>
struct Imputed {
  Matrix<T> x;
  Imputation report;
};

struct ImputeOptions {
  double tolerance = 1e-6;  ///< distance to the limit, in deviations of the column
  int iterations = 1000;    ///< at most; `Errc::not_converged` after them
};

/// `fit.components` is a count, below the number of columns. Throws `Errc::bad_data` naming a row
/// or a column without any cell.
template <class T>
Imputed<T> impute(const Rows<T>& x, const FitOptions& fit, const ImputeOptions& options = {},
                  Weights weights = {});
template <RowsLike X>
Imputed<typename X::Scalar> impute(const X& x, const FitOptions& fit,
                                   const ImputeOptions& options = {}, Weights weights = {}) {
  return impute(Rows<typename X::Scalar>(x), fit, options, weights);
}

/// PCA of completed rows; the report says how many cells were missing. `schema`: names for the
/// model.
template <class T>
Model<T> fit(const Imputed<T>& rows, const FitOptions& options, Weights weights = {},
             const Schema& schema = {});

}  // namespace mercer
