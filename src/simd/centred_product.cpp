#include "simd/centred_product.hpp"

// This file is compiled once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/centred_product.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace mercer {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Four rows of A against two of B: eight sums, four differences and two operands in 16 registers.
/// sums: those of the first row with b0, b1, then of the second, …
template <class T>
HWY_ATTR void four_by_two(const T* a0, const T* a1, const T* a2, const T* a3, Index cols,
                          const T* mean, const T* b0, const T* b1, T* sums) {
  const hn::ScalableTag<T> tag;
  const auto lanes = static_cast<Index>(hn::Lanes(tag));
  auto s0 = hn::Zero(tag), s1 = s0, s2 = s0, s3 = s0, t0 = s0, t1 = s0, t2 = s0, t3 = s0;
  Index j = 0;
  for (; j + lanes <= cols; j += lanes) {
    const auto m = hn::LoadU(tag, mean + j);
    const auto b = hn::LoadU(tag, b0 + j), c = hn::LoadU(tag, b1 + j);
    const auto x0 = hn::Sub(hn::LoadU(tag, a0 + j), m);
    s0 = hn::MulAdd(x0, b, s0);
    t0 = hn::MulAdd(x0, c, t0);
    const auto x1 = hn::Sub(hn::LoadU(tag, a1 + j), m);
    s1 = hn::MulAdd(x1, b, s1);
    t1 = hn::MulAdd(x1, c, t1);
    const auto x2 = hn::Sub(hn::LoadU(tag, a2 + j), m);
    s2 = hn::MulAdd(x2, b, s2);
    t2 = hn::MulAdd(x2, c, t2);
    const auto x3 = hn::Sub(hn::LoadU(tag, a3 + j), m);
    s3 = hn::MulAdd(x3, b, s3);
    t3 = hn::MulAdd(x3, c, t3);
  }
  const auto sum = [&](auto v) HWY_ATTR { return hn::GetLane(hn::SumOfLanes(tag, v)); };
  sums[0] = sum(s0), sums[1] = sum(t0), sums[2] = sum(s1), sums[3] = sum(t1);
  sums[4] = sum(s2), sums[5] = sum(t2), sums[6] = sum(s3), sums[7] = sum(t3);
  const T* const rows[] = {a0, a1, a2, a3};
  for (; j < cols; ++j)
    for (int r = 0; r < 4; ++r) {
      sums[2 * r] += (rows[r][j] - mean[j]) * b0[j];
      sums[2 * r + 1] += (rows[r][j] - mean[j]) * b1[j];
    }
}

template <class T>
HWY_ATTR void product(const T* a, Index rows, Index cols, Index a_stride, const T* mean, const T* b,
                      Index k, Index b_stride, T* y, Index y_stride, bool add) {
  T sums[8];
  for (Index i = 0; i < rows; i += 4) {
    // Past the end the last row and component are computed again, to no effect.
    const Index count = std::min<Index>(4, rows - i);
    const auto row = [&](Index r) { return a + (i + std::min(r, count - 1)) * a_stride; };
    for (Index c = 0; c < k; c += 2) {
      const Index next = std::min(c + 1, k - 1);
      four_by_two(row(0), row(1), row(2), row(3), cols, mean, b + c * b_stride, b + next * b_stride,
                  sums);
      for (Index r = 0; r < count; ++r)
        for (Index e = c; e <= next; ++e) {
          T& to = y[(i + r) * y_stride + e];
          to = (add ? to : T(0)) + sums[2 * r + e - c];
        }
    }
  }
}

HWY_ATTR void floats(const float* a, Index rows, Index cols, Index a_stride, const float* mean,
                     const float* b, Index k, Index b_stride, float* y, Index y_stride, bool add) {
  product(a, rows, cols, a_stride, mean, b, k, b_stride, y, y_stride, add);
}
HWY_ATTR void doubles(const double* a, Index rows, Index cols, Index a_stride, const double* mean,
                      const double* b, Index k, Index b_stride, double* y, Index y_stride,
                      bool add) {
  product(a, rows, cols, a_stride, mean, b, k, b_stride, y, y_stride, add);
}

}  // namespace HWY_NAMESPACE
}  // namespace mercer
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer {

HWY_EXPORT(floats);
HWY_EXPORT(doubles);

template <>
void centred_product(const float* a, Index rows, Index cols, Index a_stride, const float* mean,
                     const float* b, Index k, Index b_stride, float* y, Index y_stride, bool add) {
  HWY_DYNAMIC_DISPATCH(floats)(a, rows, cols, a_stride, mean, b, k, b_stride, y, y_stride, add);
}

template <>
void centred_product(const double* a, Index rows, Index cols, Index a_stride, const double* mean,
                     const double* b, Index k, Index b_stride, double* y, Index y_stride,
                     bool add) {
  HWY_DYNAMIC_DISPATCH(doubles)(a, rows, cols, a_stride, mean, b, k, b_stride, y, y_stride, add);
}

}  // namespace mercer
#endif
