#include "simd/difference_sums.hpp"

#include <algorithm>
#include <limits>

// This file is compiled once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/difference_sums.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mercer {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr Index block_columns = 512;  // of a strip of y: 32 KiB at most with 32-byte vectors

template <DifferenceSum sum, class D, class V>
HWY_INLINE HWY_ATTR V plus_term(D d, V x, V y, V total) {
  using T = hn::TFromD<D>;
  if constexpr (sum == DifferenceSum::absolute) return hn::Add(total, hn::Abs(hn::Sub(x, y)));
  if constexpr (sum == DifferenceSum::squared) {
    const V difference = hn::Sub(x, y);
    return hn::MulAdd(difference, difference, total);
  }
  // Where x + y = 0 the numerator is 0 too; where it is subnormal, the term is below it.
  const V both = hn::Max(hn::Add(x, y), hn::Set(d, std::numeric_limits<T>::min()));
  if constexpr (sum == DifferenceSum::chi2) {
    const V difference = hn::Sub(x, y);
    return hn::MulAdd(difference, hn::Div(difference, both), total);
  }
  return hn::MulAdd(hn::Add(x, x), hn::Div(y, both), total);
}

/// Four rows of x against a strip of two vectors, over `d` columns; adds to `totals`, 4×2 vectors.
template <DifferenceSum sum, class T>
HWY_ATTR void strip(const T* x0, const T* x1, const T* x2, const T* x3, const T* HWY_RESTRICT y,
                    Index d, T* HWY_RESTRICT totals) {
  const hn::CappedTag<T, 64 / sizeof(T)> tag;
  const auto lanes = static_cast<Index>(hn::Lanes(tag));
  const auto at = [&](Index i) HWY_ATTR { return hn::LoadU(tag, totals + i * lanes); };
  auto a0 = at(0), b0 = at(1), a1 = at(2), b1 = at(3), a2 = at(4), b2 = at(5), a3 = at(6),
       b3 = at(7);
  for (Index k = 0; k < d; ++k, y += 2 * lanes) {
    const auto p = hn::LoadU(tag, y), q = hn::LoadU(tag, y + lanes);
    auto x = hn::Set(tag, x0[k]);
    a0 = plus_term<sum>(tag, x, p, a0);
    b0 = plus_term<sum>(tag, x, q, b0);
    x = hn::Set(tag, x1[k]);
    a1 = plus_term<sum>(tag, x, p, a1);
    b1 = plus_term<sum>(tag, x, q, b1);
    x = hn::Set(tag, x2[k]);
    a2 = plus_term<sum>(tag, x, p, a2);
    b2 = plus_term<sum>(tag, x, q, b2);
    x = hn::Set(tag, x3[k]);
    a3 = plus_term<sum>(tag, x, p, a3);
    b3 = plus_term<sum>(tag, x, q, b3);
  }
  hn::StoreU(a0, tag, totals);
  hn::StoreU(b0, tag, totals + lanes);
  hn::StoreU(a1, tag, totals + 2 * lanes);
  hn::StoreU(b1, tag, totals + 3 * lanes);
  hn::StoreU(a2, tag, totals + 4 * lanes);
  hn::StoreU(b2, tag, totals + 5 * lanes);
  hn::StoreU(a3, tag, totals + 6 * lanes);
  hn::StoreU(b3, tag, totals + 7 * lanes);
}

template <DifferenceSum sum, class T>
HWY_ATTR void all_strips(const T* x, Index x_stride, Index n, const T* y, Index y_stride, Index m,
                         Index d, T* out, Index out_stride, T* scratch) {
  const hn::CappedTag<T, 64 / sizeof(T)> tag;
  const auto width = static_cast<Index>(2 * hn::Lanes(tag));
  T totals[8 * 64 / sizeof(T)];
  for (Index j = 0; j < m; j += width) {
    const Index columns = std::min(width, m - j);
    for (Index k = 0; k == 0 || k < d; k += block_columns) {
      const Index length = std::min(block_columns, d - k);
      for (Index c = 0; c < width; ++c) {
        const T* from = y + (j + std::min(c, columns - 1)) * y_stride + k;
        for (Index l = 0; l < length; ++l) scratch[l * width + c] = from[l];
      }
      for (Index i = 0; i < n; i += 4) {
        const Index rows = std::min<Index>(4, n - i);
        std::fill(totals, totals + 4 * width, T(0));
        if (k > 0)
          for (Index r = 0; r < rows; ++r)
            std::copy_n(out + (i + r) * out_stride + j, columns, totals + r * width);
        const auto row = [&](Index r) { return x + (i + std::min(r, rows - 1)) * x_stride + k; };
        strip<sum>(row(0), row(1), row(2), row(3), scratch, length, totals);
        for (Index r = 0; r < rows; ++r)
          std::copy_n(totals + r * width, columns, out + (i + r) * out_stride + j);
      }
    }
  }
}

template <class T>
HWY_ATTR void any_sum(DifferenceSum sum, const T* x, Index x_stride, Index n, const T* y,
                      Index y_stride, Index m, Index d, T* out, Index out_stride, T* scratch) {
  const auto run = sum == DifferenceSum::absolute  ? all_strips<DifferenceSum::absolute, T>
                   : sum == DifferenceSum::squared ? all_strips<DifferenceSum::squared, T>
                   : sum == DifferenceSum::chi2    ? all_strips<DifferenceSum::chi2, T>
                                                   : all_strips<DifferenceSum::harmonic, T>;
  run(x, x_stride, n, y, y_stride, m, d, out, out_stride, scratch);
}

HWY_ATTR void sum_doubles(DifferenceSum sum, const double* x, Index x_stride, Index n,
                          const double* y, Index y_stride, Index m, Index d, double* out,
                          Index out_stride, double* scratch) {
  any_sum(sum, x, x_stride, n, y, y_stride, m, d, out, out_stride, scratch);
}
HWY_ATTR void sum_floats(DifferenceSum sum, const float* x, Index x_stride, Index n, const float* y,
                         Index y_stride, Index m, Index d, float* out, Index out_stride,
                         float* scratch) {
  any_sum(sum, x, x_stride, n, y, y_stride, m, d, out, out_stride, scratch);
}

}  // namespace HWY_NAMESPACE
}  // namespace mercer
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer {

HWY_EXPORT(sum_doubles);
HWY_EXPORT(sum_floats);

template <>
void difference_sums(DifferenceSum sum, const double* x, Index x_stride, Index n, const double* y,
                     Index y_stride, Index m, Index d, double* out, Index out_stride,
                     double* scratch) {
  HWY_DYNAMIC_DISPATCH(sum_doubles)
  (sum, x, x_stride, n, y, y_stride, m, d, out, out_stride, scratch);
}
template <>
void difference_sums(DifferenceSum sum, const float* x, Index x_stride, Index n, const float* y,
                     Index y_stride, Index m, Index d, float* out, Index out_stride,
                     float* scratch) {
  HWY_DYNAMIC_DISPATCH(sum_floats)
  (sum, x, x_stride, n, y, y_stride, m, d, out, out_stride, scratch);
}

}  // namespace mercer
#endif
