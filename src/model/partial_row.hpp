#pragma once
// Scores of rows of which some cells are missing.

#include <mercer/model.hpp>

namespace mercer {

/// Least squares: the y for which m + s∘Bᵀy is closest to the row in the observed cells (others
/// are NaN). If these do not determine y, the most likely one: smallest Σ y²/λ. Linear models only;
/// `number` is the row's, for messages.
template <class T>
void scores_of_partial_row(const ModelParts<T>& parts, const T* row, Index number, T* scores);

}  // namespace mercer
