#pragma once
// Kernel PCA: from rows, or from a kernel matrix, to a model.

#include <mercer/fit.hpp>

namespace mercer {

/// Exact kernel PCA of rows in memory. `budget`: bytes of working memory beside the rows; `note`:
/// why this and not an approximation, when that was a question.
template <class T>
Model<T> fit_kernel(const Rows<T>& x, const FitOptions& options, const double* weights,
                    const Schema& schema, double budget, const std::string& note = {});

/// Refuses a kernel with negative eigenvalues on these rows, or on some of them.
template <class T>
void require_valid(const Kernel& kernel, const Rows<T>& rows, int threads);

}  // namespace mercer
