#pragma once
// What rounding can have done to a sum, a product or a factor.
//
//     RoundingBound b = roundings(depth) * trace;     // of a matrix summed from products
//
// A number that went through `depth` roundings is off by at most γ = depth·u/(1 − depth·u) of the
// sum of its terms' magnitudes, u = 2⁻⁵³ (Higham, Accuracy and Stability of Numerical Algorithms,
// 2002, lemma 3.1). That bound is reached when all errors add up. Where errors are independent and
// of mean zero they do not: off by more than λ√depth·u with a probability below 2·exp(−λ²/2)
// (Higham & Mary, SIAM J. Sci. Comput. 41, A2815, 2019); for the λ = 10 taken here, 4e-22 for one
// number, and below 1e-9 for all of a matrix that a machine can hold.

#include "core/roundoff.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

/// Of all `likely` bounds of a fit together.
constexpr double likely_confidence = 1 - 1e-9;

struct RoundingBound {
  double proven = 0;  ///< holds for any numbers
  double likely = 0;  ///< holds with `likely_confidence`; never more than `proven`
};

inline RoundingBound operator+(RoundingBound a, RoundingBound b) {
  return {a.proven + b.proven, a.likely + b.likely};
}
inline RoundingBound operator*(RoundingBound a, double factor) {
  return {a.proven * factor, a.likely * factor};
}
inline RoundingBound operator*(double factor, RoundingBound a) { return a * factor; }

/// Of a number that went through so many roundings, relative to the magnitudes of its terms.
inline RoundingBound roundings(double depth) {
  const double n = depth * unit_roundoff;
  const double worst = n < 0.5 ? n / (1 - n) : 1 / unit_roundoff;
  return {worst, std::min(worst, 10.1 * std::sqrt(depth) * unit_roundoff)};
}

}  // namespace mercer
