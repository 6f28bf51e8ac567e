#pragma once
// Are all numbers finite? At the speed of memory.

#include "core/parallel.hpp"

#include <atomic>

namespace mercer {

template <class T>
bool all_finite(const T* x, Index count) {
  // 0·x is 0 for a finite x and NaN otherwise, and NaN survives every sum. Independent sums keep
  // the vector units busy without permission to reorder.
  constexpr Index lanes = 16;
  T sums[lanes] = {};
  Index i = 0;
  for (; i + lanes <= count; i += lanes)
    for (Index lane = 0; lane < lanes; ++lane) sums[lane] += x[i + lane] * T(0);
  for (; i < count; ++i) sums[0] += x[i] * T(0);
  T total = 0;
  for (const T sum : sums) total += sum;
  return total == T(0);
}

template <class T>
bool all_finite(const T* x, Index count, int threads) {
  std::atomic<bool> finite{true};
  parallel_ranges(count, threads, 1 << 16, [&](Index begin, Index end, int) {
    if (!all_finite(x + begin, end - begin)) finite = false;
  });
  return finite;
}

}  // namespace mercer
