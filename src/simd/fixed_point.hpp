#pragma once
// Numbers in 32 bits and back, with the instructions this machine has (found at run time): as
// multiples of a unit, which of numbers up to a known largest one keeps 31 bits where a float keeps
// 24; and as floats.

#include <mercer/matrix.hpp>

#include <cstdint>

namespace mercer {

/// out[i] = the multiple of `unit` nearest to x[i]. Returns the largest |x[i]|/unit, rounded: when
/// it exceeds 2^31 − 1, or is NaN, `out` is of no use.
double to_fixed_point(const double* x, Index n, double unit, std::int32_t* out);

/// out[i] = unit·x[i].
void from_fixed_point(const std::int32_t* x, Index n, double unit, double* out);

/// out[i] = x[i].
void widen(const float* x, Index n, double* out);

}  // namespace mercer
