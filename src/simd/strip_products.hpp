#pragma once
// Products of medium size, C += AᵀA and C ± ABᵀ, with the instructions this machine has (found at
// run time). BLAS libraries that do not know a processor use the instructions of an older one.
//
// The second operand is copied to strips of 24 columns, which stay in the cache while a tile of C
// in registers runs down the rows. Nothing is allocated: strips lie on the stack.
//
// Every entry of C is a sum in the order of the inner index, wherever it is in C, and is added to C
// or subtracted from it once.

#include <mercer/matrix.hpp>

namespace mercer {

/// The largest inner dimension.
constexpr Index strip_depth = 256;
/// Rows of C that one call of `add_column_products` computes, at most.
constexpr Index strip_rows_of_c = 72;

/// Rows `from` to `from + count` of C += AᵀA, from the diagonal on; entries before it are not
/// right. A: n×d, n ≤ strip_depth, count ≤ strip_rows_of_c.
void add_column_products(const double* a, Index n, Index d, Index a_stride, Index from, Index count,
                         double* c, Index c_stride);

/// Entry (i, p) lies at at[i·row + p·next].
struct StripOperand {
  const double* at;
  Index row, next;
};

/// C += ABᵀ or C −= ABᵀ. A: n×depth, B: d×depth, depth ≤ strip_depth, C: n×d.
void add_row_products(StripOperand a, Index n, Index depth, StripOperand b, Index d, double* c,
                      Index c_stride);
void subtract_row_products(StripOperand a, Index n, Index depth, StripOperand b, Index d, double* c,
                           Index c_stride);

}  // namespace mercer
