#pragma once
// C += AᵀA for few columns, with the instructions this machine has (found at run time).
//
// BLAS packs both operands before it multiplies; with few columns that is a large part of the
// time. Here rows are read in place: a tile of C stays in registers while the block of rows,
// small enough for the L1 cache, runs past it.

#include <mercer/matrix.hpp>

#include <algorithm>

namespace mercer {

/// Up to this many columns it beats BLAS.
constexpr Index few_columns = 128;

/// Rows that fit the L1 cache together with a tile.
inline Index few_columns_block(Index d) {
  return std::max<Index>(16, 3072 / std::max<Index>(d, 1));
}

/// Distance between rows of A and of C: tiles run over the edge by up to 15 columns.
inline Index padded_columns(Index d) { return (d + 16 + 7) / 8 * 8; }

/// C += AᵀA. A: n rows of d numbers, `padded_columns(d)` apart, zeros in between.
/// C: padded_columns(d) squared; its upper triangle is right, what lies below is not.
void add_inner_products_padded(const double* a, Index n, Index d, double* c);

}  // namespace mercer
