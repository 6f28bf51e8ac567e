#pragma once
// Scores of rows of which some cells are missing.

#include "data/preprocess.hpp"

#include <mercer/model.hpp>

namespace mercer {

/// Least squares: the y for which m + s∘Bᵀy is closest to the row in the cells that are there (NaN
/// where not; the row is dense). Where those leave y open, the most likely one: smallest Σ y²/λ.
/// Linear models only; `before` is what `preprocess` gives, `number` the row's, for messages.
template <class T>
Vector<double> scores_of_partial_row(const ModelParts<T>& parts, const Preprocess& before,
                                     const Rows<T>& row, Index number);

}  // namespace mercer
