#pragma once
// Sums over differences of rows (simd/difference_sums.hpp), dense or sparse on either side.

#include "kernels/evaluation.hpp"
#include "simd/difference_sums.hpp"

namespace mercer {

/// out(i, j) = the sum for x_i and y_j.
void row_differences(DifferenceSum sum, const Rows<double>& x, const Rows<double>& y,
                     const TileView<double>& out);

/// ‖x_i − y_j‖² from the differences themselves: exact to rounding, however near the rows are.
double squared_difference(const Rows<double>& x, Index i, const Rows<double>& y, Index j);

}  // namespace mercer
