#include "simd/inner_products.hpp"

// This file is compiled once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/inner_products.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mercer {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Six columns against two vectors: twelve sums, two operands and a broadcast fit 16 registers.
constexpr Index tile_rows = 6;

HWY_ATTR void tile(const double* HWY_RESTRICT left, const double* HWY_RESTRICT right, Index n,
                   Index stride, double* HWY_RESTRICT c) {
  const hn::ScalableTag<double> tag;
  const auto lanes = hn::Lanes(tag);
  auto a0 = hn::Zero(tag), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0;
  auto b0 = a0, b1 = a0, b2 = a0, b3 = a0, b4 = a0, b5 = a0;
  for (Index i = 0; i < n; ++i, left += stride, right += stride) {
    const auto p = hn::LoadU(tag, right), q = hn::LoadU(tag, right + lanes);
    auto x = hn::Set(tag, left[0]);
    a0 = hn::MulAdd(x, p, a0);
    b0 = hn::MulAdd(x, q, b0);
    x = hn::Set(tag, left[1]);
    a1 = hn::MulAdd(x, p, a1);
    b1 = hn::MulAdd(x, q, b1);
    x = hn::Set(tag, left[2]);
    a2 = hn::MulAdd(x, p, a2);
    b2 = hn::MulAdd(x, q, b2);
    x = hn::Set(tag, left[3]);
    a3 = hn::MulAdd(x, p, a3);
    b3 = hn::MulAdd(x, q, b3);
    x = hn::Set(tag, left[4]);
    a4 = hn::MulAdd(x, p, a4);
    b4 = hn::MulAdd(x, q, b4);
    x = hn::Set(tag, left[5]);
    a5 = hn::MulAdd(x, p, a5);
    b5 = hn::MulAdd(x, q, b5);
  }
  const auto add = [&](double* out, auto p, auto q) HWY_ATTR {
    hn::StoreU(hn::Add(hn::LoadU(tag, out), p), tag, out);
    hn::StoreU(hn::Add(hn::LoadU(tag, out + lanes), q), tag, out + lanes);
  };
  add(c, a0, b0);
  add(c + stride, a1, b1);
  add(c + 2 * stride, a2, b2);
  add(c + 3 * stride, a3, b3);
  add(c + 4 * stride, a4, b4);
  add(c + 5 * stride, a5, b5);
}

HWY_ATTR void all_tiles(const double* a, Index n, Index d, Index stride, double* c) {
  const auto width = static_cast<Index>(2 * hn::Lanes(hn::ScalableTag<double>()));
  for (Index i = 0; i < d; i += tile_rows)
    for (Index j = i / width * width; j < d; j += width)
      tile(a + i, a + j, n, stride, c + i * stride + j);
}

}  // namespace HWY_NAMESPACE
}  // namespace mercer
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer {

HWY_EXPORT(all_tiles);

void add_inner_products_padded(const double* a, Index n, Index d, double* c) {
  HWY_DYNAMIC_DISPATCH(all_tiles)(a, n, d, padded_columns(d), c);
}

}  // namespace mercer
#endif
