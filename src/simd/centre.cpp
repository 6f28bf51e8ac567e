#include "simd/centre.hpp"

// This file is compiled once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/centre.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mercer {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;

HWY_INLINE HWY_ATTR hn::Vec<Doubles> load(const double* p) { return hn::LoadU(Doubles(), p); }
HWY_INLINE HWY_ATTR hn::Vec<Doubles> load(const float* p) {
  return hn::PromoteTo(Doubles(), hn::LoadU(hn::Rebind<float, Doubles>(), p));
}

template <class T>
HWY_ATTR void subtract_rows(const T* x, Index x_stride, Index n, Index d,
                            const double* HWY_RESTRICT centre, double* HWY_RESTRICT out,
                            Index out_stride, double* HWY_RESTRICT sums) {
  const Doubles tag;
  const auto lanes = static_cast<Index>(hn::Lanes(tag));
  for (Index i = 0; i < n; ++i, x += x_stride, out += out_stride) {
    Index j = 0;
    for (; j + lanes <= d; j += lanes) {
      const auto v = hn::Sub(load(x + j), hn::LoadU(tag, centre + j));
      hn::StoreU(v, tag, out + j);
      hn::StoreU(hn::Add(hn::LoadU(tag, sums + j), v), tag, sums + j);
    }
    for (; j < d; ++j) {
      out[j] = static_cast<double>(x[j]) - centre[j];
      sums[j] += out[j];
    }
  }
}

HWY_ATTR void subtract_doubles(const double* x, Index x_stride, Index n, Index d,
                               const double* centre, double* out, Index out_stride, double* sums) {
  subtract_rows(x, x_stride, n, d, centre, out, out_stride, sums);
}

HWY_ATTR void subtract_floats(const float* x, Index x_stride, Index n, Index d,
                              const double* centre, double* out, Index out_stride, double* sums) {
  subtract_rows(x, x_stride, n, d, centre, out, out_stride, sums);
}

}  // namespace HWY_NAMESPACE
}  // namespace mercer
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer {

HWY_EXPORT(subtract_doubles);
HWY_EXPORT(subtract_floats);

template <>
void subtract_and_sum(const double* x, Index x_stride, Index n, Index d, const double* centre,
                      double* out, Index out_stride, double* sums) {
  HWY_DYNAMIC_DISPATCH(subtract_doubles)(x, x_stride, n, d, centre, out, out_stride, sums);
}

template <>
void subtract_and_sum(const float* x, Index x_stride, Index n, Index d, const double* centre,
                      double* out, Index out_stride, double* sums) {
  HWY_DYNAMIC_DISPATCH(subtract_floats)(x, x_stride, n, d, centre, out, out_stride, sums);
}

}  // namespace mercer
#endif
