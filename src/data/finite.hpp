#pragma once
// Are all numbers finite? At the speed of memory.

#include "core/parallel.hpp"
#include "core/require.hpp"

#include <mercer/rows.hpp>

#include <atomic>
#include <cmath>

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

/// Of all cells that are stored.
template <class T>
bool all_finite(const Rows<T>& x, int threads = 1) {
  if (x.rows() == 0) return true;
  if (x.sparse()) return all_finite(x.csr().values + x.csr().offsets[0], x.entries(), threads);
  if (x.stride() == x.cols()) return all_finite(x.row(0), x.entries(), threads);
  for (Index i = 0; i < x.rows(); ++i)
    if (!all_finite(x.row(i), x.cols())) return false;
  return true;
}

/// Calls see(row, column, value), from 0, with the cells that are not finite, row by row.
template <class T, class See>
void for_not_finite(const Rows<T>& x, See&& see, int threads = 1) {
  if (all_finite(x, threads)) return;
  for (Index i = 0; i < x.rows(); ++i) {
    const std::int64_t begin = x.sparse() ? x.csr().offsets[i] : 0;
    const std::int64_t end = x.sparse() ? x.csr().offsets[i + 1] : x.cols();
    const T* const values = x.sparse() ? x.csr().values : x.row(i);
    for (std::int64_t e = begin; e < end; ++e)
      if (!std::isfinite(values[e])) see(i, x.sparse() ? x.csr().columns[e] : e, values[e]);
  }
}

/// Throws for the first cell that is not finite; where missing cells are `filled`, for the first
/// that is infinite. Rows are counted from `first`. Returns whether cells are missing.
template <class T>
bool require_finite(const Rows<T>& x, bool filled, Index first = 0) {
  bool missing = false;
  for_not_finite(x, [&](Index row, std::int64_t column, T value) {
    require(filled && std::isnan(value), Errc::bad_data,
            "row {}, column {} is {}; remove the row or fill in a number", first + row + 1,
            column + 1, value);
    missing = true;
  });
  return missing;
}

}  // namespace mercer
