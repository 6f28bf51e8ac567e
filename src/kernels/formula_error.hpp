#pragma once
// The error of a leaf: that of its ingredient, carried through its formula.

#include "kernels/entry_error.hpp"
#include "kernels/evaluation.hpp"

namespace mercer {

ValueBound leaf_bound(Ingredient ingredient, const Formula<double>& formula,
                      const RowExtent& extent);

/// Relative error of the distances, absolute differences and χ² sums that `fallen` values are made
/// from, and of the function itself.
double fallen_error(Ingredient ingredient, const Formula<double>& formula, const RowExtent& extent);

}  // namespace mercer
