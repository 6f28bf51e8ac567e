#pragma once
// Scores of rows of which some cells are missing.

#include "data/preprocess.hpp"

#include <mercer/model.hpp>

namespace mercer {

/// Least squares: the y for which m + s∘Bᵀy is closest to the dense row in the observed cells (others
/// are NaN). If these do not determine y, the most likely one: smallest Σ y²/λ. Linear models only;
/// `before` is the result of `preprocess`, `number` that of the row, for messages.
template <class T>
Vector<double> scores_of_partial_row(const ModelParts<T>& parts, const Preprocess& before,
                                     const Rows<T>& row, Index number);

}  // namespace mercer
