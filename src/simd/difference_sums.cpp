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
  if constexpr (sum == DifferenceSum::inner) return hn::MulAdd(x, y, total);
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

/// Four rows of x against a strip of two vectors, over `d` columns: the sums, or what they add to
/// those at `out`. Past the last row it comes again, to no effect.
template <DifferenceSum sum, class T>
HWY_ATTR void strip(const T* x, Index x_stride, Index rows, const T* HWY_RESTRICT y, Index d,
                    bool add, T* out, Index out_stride) {
  const hn::CappedTag<T, 64 / sizeof(T)> tag;
  const auto lanes = static_cast<Index>(hn::Lanes(tag));
  const auto row = [&](Index r) { return std::min(r, rows - 1); };
  const T *const x0 = x, *const x1 = x + row(1) * x_stride, *const x2 = x + row(2) * x_stride,
                 *const x3 = x + row(3) * x_stride;
  T *const o0 = out, *const o1 = out + row(1) * out_stride, *const o2 = out + row(2) * out_stride,
           *const o3 = out + row(3) * out_stride;
  const auto at = [&](const T* o) HWY_ATTR { return add ? hn::LoadU(tag, o) : hn::Zero(tag); };
  auto a0 = at(o0), b0 = at(o0 + lanes), a1 = at(o1), b1 = at(o1 + lanes);
  auto a2 = at(o2), b2 = at(o2 + lanes), a3 = at(o3), b3 = at(o3 + lanes);
  for (Index k = 0; k < d; ++k, y += 2 * lanes) {
    const auto p = hn::LoadU(tag, y), q = hn::LoadU(tag, y + lanes);
    auto v = hn::Set(tag, x0[k]);
    a0 = plus_term<sum>(tag, v, p, a0);
    b0 = plus_term<sum>(tag, v, q, b0);
    v = hn::Set(tag, x1[k]);
    a1 = plus_term<sum>(tag, v, p, a1);
    b1 = plus_term<sum>(tag, v, q, b1);
    v = hn::Set(tag, x2[k]);
    a2 = plus_term<sum>(tag, v, p, a2);
    b2 = plus_term<sum>(tag, v, q, b2);
    v = hn::Set(tag, x3[k]);
    a3 = plus_term<sum>(tag, v, p, a3);
    b3 = plus_term<sum>(tag, v, q, b3);
  }
  const auto put = [&](auto a, auto b, T* o) HWY_ATTR {
    hn::StoreU(a, tag, o);
    hn::StoreU(b, tag, o + lanes);
  };
  put(a0, b0, o0), put(a1, b1, o1), put(a2, b2, o2), put(a3, b3, o3);
}

template <DifferenceSum sum, class T>
HWY_ATTR void all_strips(const T* x, Index x_stride, Index n, const T* y, Index y_stride, Index m,
                         Index d, T* out, Index out_stride, T* scratch) {
  const hn::CappedTag<T, 64 / sizeof(T)> tag;
  const auto width = static_cast<Index>(2 * hn::Lanes(tag));
  T part[8 * 64 / sizeof(T)] = {};
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
        T* const to = out + i * out_stride + j;
        const T* const from = x + i * x_stride + k;
        if (columns == width) {
          strip<sum>(from, x_stride, rows, scratch, length, k > 0, to, out_stride);
          continue;
        }
        for (Index r = 0; k > 0 && r < rows; ++r)
          std::copy_n(to + r * out_stride, columns, part + r * width);
        strip<sum>(from, x_stride, rows, scratch, length, k > 0, part, width);
        for (Index r = 0; r < rows; ++r)
          std::copy_n(part + r * width, columns, to + r * out_stride);
      }
    }
  }
}

template <class T>
HWY_ATTR void any_sum(DifferenceSum sum, const T* x, Index x_stride, Index n, const T* y,
                      Index y_stride, Index m, Index d, T* out, Index out_stride, T* scratch) {
  const auto run = sum == DifferenceSum::inner      ? all_strips<DifferenceSum::inner, T>
                   : sum == DifferenceSum::absolute ? all_strips<DifferenceSum::absolute, T>
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
