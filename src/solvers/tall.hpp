#pragma once
// Products of one segment of rows of tall blocks, on one thread (tall_block.hpp has all segments).

#include <mercer/matrix.hpp>

namespace mercer {

/// A block of rows that are written: rows may be further apart than their length.
using TallOut = Eigen::Ref<Matrix<double>, Eigen::Unaligned, Eigen::OuterStride<>>;

/// C = AB, or C += AB: A n×m and C n×k are tall, B m×k is small.
void times_small(MatrixRef<double> a, MatrixRef<double> b, TallOut c, bool add);

/// AᵀB, m×k, in rows of k: A n×m and B n×k are tall.
void transposed_times(MatrixRef<double> a, MatrixRef<double> b, double* c);

}  // namespace mercer
