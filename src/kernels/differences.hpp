#pragma once
// Sums over differences of rows (simd/difference_sums.hpp), dense or sparse on either side.

#include "kernels/evaluation.hpp"
#include "simd/difference_sums.hpp"

namespace mercer {

/// out(i, j) = the sum for x_i and y_j.
template <class T>
void row_differences(DifferenceSum sum, const Rows<T>& x, const Rows<T>& y, const TileView<T>& out);

/// ‖x_i − y_j‖² from the differences themselves: exact to rounding, however near the rows are.
template <class T>
T squared_difference(const Rows<T>& x, Index i, const Rows<T>& y, Index j);

}  // namespace mercer
