#pragma once
// Sums over the columns of two rows, for all pairs of a tile.
//
// Rows of y are laid out column by column, a few vectors wide, and stay in the L1 cache while the
// rows of x run past them four at a time: eight sums live in registers, and nothing is summed
// across a vector. Each sum goes over the columns in their order, so a pair has the same bits in
// every tile. BLAS does not promise that, and is not faster.

#include <mercer/matrix.hpp>

namespace mercer {

enum class DifferenceSum {
  inner,     ///< Σ xy
  absolute,  ///< Σ |x − y|
  squared,   ///< Σ (x − y)²
  chi2,      ///< Σ (x − y)² / (x + y); 0/0 is 0
  harmonic,  ///< Σ 2xy / (x + y); 0/0 is 0
};

/// One term: what a column adds.
template <class T>
T difference_term(DifferenceSum sum, T x, T y) {
  if (sum == DifferenceSum::inner) return x * y;
  if (sum == DifferenceSum::absolute) return x < y ? y - x : x - y;
  if (sum == DifferenceSum::squared) return (x - y) * (x - y);
  if (x + y == 0) return 0;
  return sum == DifferenceSum::chi2 ? (x - y) * (x - y) / (x + y) : 2 * x * y / (x + y);
}

/// Scratch numbers of `difference_sums`.
constexpr Index difference_scratch = 512 * 32;

/// out(i, j) = the sum for x_i and y_j, n×m pairs of d columns; strides are from row to row.
template <class T>
void difference_sums(DifferenceSum sum, const T* x, Index x_stride, Index n, const T* y,
                     Index y_stride, Index m, Index d, T* out, Index out_stride, T* scratch);

}  // namespace mercer
