#pragma once
// Many rows against a panel of a few vectors, with the instructions this machine has (found at run
// time).
//
// BLAS packs the rows before it multiplies; with so few vectors that costs more than the product.
// Here rows are read as they lie. A panel holds `panel_width` vectors: entry j of all of them side
// by side, then entry j + 1.

#include "simd/symmetric_product.hpp"

#include <mercer/matrix.hpp>

#include <cstdint>

namespace mercer {

/// Rows come in tiles of this many; a caller who has fewer fills up with zeros.
constexpr Index tile_rows = 8;

/// y = Xv. X: rows×cols, rows `stride` apart, `rows` a multiple of tile_rows; v: a panel of `cols`
/// entries, y: one of `rows`.
void times_panel(const double* x, Index rows, Index cols, Index stride, const double* v, double* y);

/// z += Xᵀy.
void add_transposed_times_panel(const double* x, Index rows, Index cols, Index stride,
                                const double* y, double* z);

/// z += w·x(xᵀv) for one sparse row x.
template <class T>
void add_sparse_product(const T* values, const std::int32_t* columns, Index entries, double weight,
                        const double* v, double* z);

}  // namespace mercer
