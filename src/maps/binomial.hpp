#pragma once
// How many monomials there are, without overflow.

#include <mercer/matrix.hpp>

#include <limits>
#include <numeric>

namespace mercer {

/// Stands for every number that is too large to count to.
inline constexpr Index too_many = std::numeric_limits<Index>::max();

/// n!, exact up to 22!; beyond, each factor is one rounding more.
inline double factorial(int n) {
  double result = 1;
  for (int i = 2; i <= n; ++i) result *= i;
  return result;
}

/// C(n, k), or `too_many`.
inline Index binomial(Index n, Index k) {
  if (k < 0 || k > n) return 0;
  if (n - k < k) k = n - k;
  Index result = 1;
  for (Index i = 1; i <= k; ++i) {
    // C·a/i is whole: cancel first, so that only a result too large overflows.
    const Index common = std::gcd(result, i);
    const Index factor = (n - k + i) / (i / common);
    result /= common;
    if (result > too_many / factor) return too_many;
    result *= factor;
  }
  return result;
}

}  // namespace mercer
