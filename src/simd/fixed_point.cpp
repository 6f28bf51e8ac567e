#include "simd/fixed_point.hpp"

#include <cmath>

// This file is compiled once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/fixed_point.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mercer {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using Integers = hn::Rebind<std::int32_t, Doubles>;

HWY_ATTR double to_integers(const double* HWY_RESTRICT x, Index n, double unit,
                            std::int32_t* HWY_RESTRICT out) {
  const Doubles tag;
  const Integers integers;
  const auto lanes = static_cast<Index>(hn::Lanes(tag));
  const auto units = hn::Set(tag, 1 / unit);
  auto largest = hn::Zero(tag);
  auto wrong = hn::Zero(tag);  // NaN as soon as one number is: Max may lose it
  Index i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto scaled = hn::Round(hn::Mul(hn::LoadU(tag, x + i), units));
    largest = hn::Max(largest, hn::Abs(scaled));
    wrong = hn::Add(wrong, hn::Sub(scaled, scaled));
    const auto fits = hn::Le(hn::Abs(scaled), hn::Set(tag, 2147483647.0));
    hn::StoreU(hn::DemoteTo(integers, hn::IfThenElseZero(fits, scaled)), integers, out + i);
  }
  double most = hn::GetLane(hn::MaxOfLanes(tag, largest));
  double nan = hn::GetLane(hn::SumOfLanes(tag, wrong));
  for (; i < n; ++i) {
    const double scaled = std::nearbyint(x[i] * (1 / unit));
    const bool fits = std::abs(scaled) <= 2147483647.0;
    out[i] = fits ? static_cast<std::int32_t>(scaled) : 0;
    nan += scaled - scaled;
    most = std::abs(scaled) > most ? std::abs(scaled) : most;
  }
  return most + nan;
}

HWY_ATTR void from_integers(const std::int32_t* HWY_RESTRICT x, Index n, double unit,
                            double* HWY_RESTRICT out) {
  const Doubles tag;
  const Integers integers;
  const auto lanes = static_cast<Index>(hn::Lanes(tag));
  const auto units = hn::Set(tag, unit);
  Index i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(hn::Mul(hn::PromoteTo(tag, hn::LoadU(integers, x + i)), units), tag, out + i);
  for (; i < n; ++i) out[i] = unit * x[i];
}

HWY_ATTR void from_floats(const float* HWY_RESTRICT x, Index n, double* HWY_RESTRICT out) {
  const Doubles tag;
  const hn::Rebind<float, Doubles> floats;
  const auto lanes = static_cast<Index>(hn::Lanes(tag));
  Index i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(hn::PromoteTo(tag, hn::LoadU(floats, x + i)), tag, out + i);
  for (; i < n; ++i) out[i] = static_cast<double>(x[i]);
}

}  // namespace HWY_NAMESPACE
}  // namespace mercer
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer {

HWY_EXPORT(to_integers);
HWY_EXPORT(from_integers);
HWY_EXPORT(from_floats);

double to_fixed_point(const double* x, Index n, double unit, std::int32_t* out) {
  return HWY_DYNAMIC_DISPATCH(to_integers)(x, n, unit, out);
}

void from_fixed_point(const std::int32_t* x, Index n, double unit, double* out) {
  HWY_DYNAMIC_DISPATCH(from_integers)(x, n, unit, out);
}

void widen(const float* x, Index n, double* out) { HWY_DYNAMIC_DISPATCH(from_floats)(x, n, out); }

}  // namespace mercer
#endif
