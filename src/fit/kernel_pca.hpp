#pragma once
// Kernel PCA: from rows, or from a kernel matrix, to a model.

#include <mercer/fit.hpp>

namespace mercer {

/// Exact kernel PCA of rows in memory. `budget`: bytes of working memory beside the rows.
template <class T>
Model<T> fit_kernel(const Rows<T>& x, const FitOptions& options, const double* weights,
                    const Schema& schema, double budget);

}  // namespace mercer
