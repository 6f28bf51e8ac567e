#pragma once
// The error of one rounded operation in double precision.

#include <mercer/matrix.hpp>

namespace mercer {

/// 2⁻⁵³: half a unit in the last place of 1.
constexpr double unit_roundoff = 0x1p-53;

/// What a + b loses when it is rounded, exactly (Knuth, The Art of Computer Programming, §4.2.2).
inline Vector<double> lost_by_sum(const Vector<double>& a, const Vector<double>& b) {
  const Vector<double> sum = a + b, from_b = sum - a;
  return (a - (sum - from_b)) + (b - from_b);
}

}  // namespace mercer
