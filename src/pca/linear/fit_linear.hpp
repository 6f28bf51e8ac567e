#pragma once
// Linear PCA of rows in one or several passes, by the solver of a plan.

#include "pca/passes.hpp"

#include <mercer/plan.hpp>

namespace mercer {

template <class T>
Model<T> fit_linear(Passes<T>& passes, Plan plan, const FitOptions& options, const Schema& schema);

}  // namespace mercer
