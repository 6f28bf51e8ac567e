#pragma once
// Products of blocks of tall vectors, split by rows over Mercer's threads. BLAS's threads
// would spin for a while afterwards and take the cores from the operator's next pass.
// Results do not depend on the number of threads.

#include <mercer/matrix.hpp>

namespace mercer {

/// C = AB, or C += AB: A n×m and C n×k are tall, B m×k is small.
void tall_times_small(const double* a, Index n, Index m, Index a_stride, const double* b, Index k,
                      Index b_stride, double* c, Index c_stride, bool add, int threads);

/// C = AᵀB: A n×m and B n×k are tall, C m×k is small.
void tall_times_tall(const double* a, Index n, Index m, Index a_stride, const double* b, Index k,
                     Index b_stride, double* c, Index c_stride, int threads);

}  // namespace mercer
