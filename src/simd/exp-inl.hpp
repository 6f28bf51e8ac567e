// e^x for x ≤ 0, a vector at a time: all that kernels need. Included once for every
// instruction set, inside the guard that Highway turns over; a user of it wraps it in
// HWY_BEFORE_NAMESPACE like its own code.
//
// x = q·ln 2 + r, |r| ≤ ln 2 / 2, and e^r by a polynomial (interpolated at Chebyshev points;
// its own error is 2e-17, float 1e-8). Under 1 ulp with fused multiply-add, under 2 without.
// Results that would be subnormal are 0: such numbers are slow wherever they go next.
#if defined(MERCER_SIMD_EXP_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MERCER_SIMD_EXP_INL
#undef MERCER_SIMD_EXP_INL
#else
#define MERCER_SIMD_EXP_INL
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mercer {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// (e^r − 1 − r) / r²
template <class D, class V>
HWY_INLINE HWY_ATTR V exp_tail(D d, V r) {
  using T = hn::TFromD<D>;
  const auto c = [d](double v) HWY_ATTR { return hn::Set(d, static_cast<T>(v)); };
  const V r2 = hn::Mul(r, r);
  // Estrin's order: short chains side by side instead of a long one.
  if constexpr (sizeof(T) == 8) {
    const V r4 = hn::Mul(r2, r2);
    const V p01 = hn::MulAdd(c(0.16666666666666667460), r, c(0.50000000000000010314));
    const V p23 = hn::MulAdd(c(0.0083333333333300381973), r, c(0.041666666666623820532));
    const V p45 = hn::MulAdd(c(1.9841269863171556026e-4), r, c(1.3888888917367080562e-3));
    const V p67 = hn::MulAdd(c(2.7557268276905696187e-6), r, c(2.4801521057868205199e-5));
    const V p89 = hn::MulAdd(c(2.5100472505694996003e-8), r, c(2.7620201591031548792e-7));
    const V low = hn::MulAdd(p23, r2, p01), middle = hn::MulAdd(p67, r2, p45);
    return hn::MulAdd(hn::MulAdd(p89, r4, middle), r4, low);
  } else {
    const V p01 = hn::MulAdd(c(0.16666576666119928305), r, c(0.5));
    const V p23 = hn::MulAdd(c(0.0083632328836826182041), r, c(0.041666554212984150314));
    return hn::MulAdd(hn::MulAdd(c(0.0013926250831497611718), r2, p23), r2, p01);
  }
}

template <class T>
struct ExpConstants;
template <>
struct ExpConstants<double> {
  static constexpr double lowest = -708;
  static constexpr double rounder = 6755399441055744.0;  // 1.5·2^52: adding it rounds to integers
  static constexpr double ln2_high = 6.93147180369123816490e-01;  // q·ln2_high is exact
  static constexpr double ln2_low = 1.90821492927058770002e-10;
  static constexpr int mantissa = 52;
};
template <>
struct ExpConstants<float> {
  static constexpr float lowest = -87;
  static constexpr float rounder = 12582912.0F;  // 1.5·2^23
  static constexpr float ln2_high = 0.693359375F;
  static constexpr float ln2_low = -2.12194440e-4F;
  static constexpr int mantissa = 23;
};

/// e^x for x ≤ 0; 0 below −708 (float: −87).
template <class D, class V>
HWY_INLINE HWY_ATTR V exp_nonpositive(D d, V x) {
  using T = hn::TFromD<D>;
  using C = ExpConstants<T>;
  const hn::RebindToSigned<D> di;
  const V lowest = hn::Set(d, C::lowest), rounder = hn::Set(d, C::rounder);
  const auto in_range = hn::Ge(x, lowest);
  x = hn::Max(x, lowest);
  const V shifted = hn::MulAdd(x, hn::Set(d, static_cast<T>(1.4426950408889634074)), rounder);
  const V q = hn::Sub(shifted, rounder);
  V r = hn::NegMulAdd(q, hn::Set(d, C::ln2_high), x);
  r = hn::NegMulAdd(q, hn::Set(d, C::ln2_low), r);
  const V p = hn::Add(hn::Set(d, T(1)), hn::MulAdd(hn::Mul(r, r), exp_tail(d, r), r));
  // The low bits of `shifted` are q: added to the exponent they multiply by 2^q.
  const auto power = hn::ShiftLeft<C::mantissa>(hn::BitCast(di, shifted));
  return hn::IfThenElseZero(in_range, hn::BitCast(d, hn::Add(hn::BitCast(di, p), power)));
}

}  // namespace HWY_NAMESPACE
}  // namespace mercer
HWY_AFTER_NAMESPACE();

#endif
