#pragma once
// Numbers as 32-bit multiples of a unit and back, with the instructions this machine has (found at
// run time). Of numbers up to a known largest one this keeps 31 bits where a float keeps 24.

#include <mercer/matrix.hpp>

#include <cstdint>

namespace mercer {

/// out[i] = the multiple of `unit` nearest to x[i]. Returns the largest |x[i]|/unit, rounded: when it
/// exceeds 2^31 − 1, or is NaN, `out` is of no use.
double to_fixed_point(const double* x, Index n, double unit, std::int32_t* out);

/// out[i] = unit·x[i].
void from_fixed_point(const std::int32_t* x, Index n, double unit, double* out);

}  // namespace mercer
