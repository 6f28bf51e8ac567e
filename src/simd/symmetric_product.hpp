#pragma once
// A tile of a symmetric matrix against a block of vectors, used twice while it is in the cache:
// y_I += A v_J and y_J += Aᵀ v_I, with the instructions this machine has (found at run time).
//
// BLAS would pack the tile for each of the two products; with so few vectors that costs as much as
// the products themselves.

#include <mercer/matrix.hpp>

namespace mercer {

/// Vectors lie in panels of this many: entry i of all of them side by side, then entry i + 1.
constexpr Index panel_width = 8;

/// For one panel: y_rows += A·v_cols and y_cols += Aᵀ·v_rows. A: rows×cols, rows `stride` apart.
/// v_rows, y_rows: panels of `rows` entries; v_cols, y_cols: panels of `cols` entries.
void add_symmetric_product(const double* a, Index rows, Index cols, Index stride,
                           const double* v_rows, const double* v_cols, double* y_rows,
                           double* y_cols);

}  // namespace mercer
