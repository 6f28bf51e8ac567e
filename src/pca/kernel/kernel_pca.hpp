#pragma once
// Kernel PCA: from rows, or from a kernel matrix, to a model.

#include <mercer/plan.hpp>
#include <mercer/team.hpp>

namespace mercer {

/// Exact kernel PCA of rows in memory, as planned. The ranks of a team all have all rows, the same
/// plan and the same options, and share the work of Krylov; each gets the whole model.
template <class T>
Model<T> fit_kernel(const Rows<T>& x, Plan plan, const FitOptions& options, const double* weights,
                    const Schema& schema, Team& team = Team::alone());

/// Refuses a kernel with negative eigenvalues on these rows, or on some of them.
template <class T>
void require_valid(const Kernel& kernel, const Rows<T>& rows, int threads);

}  // namespace mercer
