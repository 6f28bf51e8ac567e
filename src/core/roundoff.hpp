#pragma once
// The error of one rounded operation in double precision.

namespace mercer {

/// 2⁻⁵³: half a unit in the last place of 1.
constexpr double unit_roundoff = 0x1p-53;

}  // namespace mercer
