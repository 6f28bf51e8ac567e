#pragma once
// Rows less their centre, with the instructions this machine has (found at run time).

#include <mercer/matrix.hpp>

namespace mercer {

/// out = x − centre in double, and sums += the columns' sums of that. Rows of x and out are
/// `x_stride` and `out_stride` apart.
template <class T>
void subtract_and_sum(const T* x, Index x_stride, Index n, Index d, const double* centre,
                      double* out, Index out_stride, double* sums);

}  // namespace mercer
