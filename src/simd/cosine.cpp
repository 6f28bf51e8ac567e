#include "simd/cosine.hpp"

#include <algorithm>
#include <cmath>

// This file is compiled once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/cosine.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mercer {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// z = q·π/2 + r, |r| ≤ π/4, with π/2 in three parts (Cody and Waite): q times each of the first two
// is exact for |z| ≤ largest. Polynomials in r² are interpolated at Chebyshev points.
template <class T>
struct CosineConstants;
template <>
struct CosineConstants<double> {
  static constexpr double largest = 1e6;
  static constexpr double rounder = 6755399441055744.0;  // 1.5·2^52: adding it rounds to integers
  static constexpr double high = 0x1.921fb544p+0, middle = 0x1.0b4611a6p-34;
  static constexpr double low = 2.0222662487959506315e-21;
};
template <>
struct CosineConstants<float> {
  static constexpr float largest = 1e4F;
  static constexpr float rounder = 12582912.0F;  // 1.5·2^23
  static constexpr float high = 1.5703125F, middle = 0x1.fb4p-12F;
  static constexpr float low = 7.54978995489e-8F;
};

/// (sin r/r − 1)/r² of u = r².
template <class D, class V>
HWY_INLINE HWY_ATTR V sine_tail(D d, V u) {
  using T = hn::TFromD<D>;
  const auto c = [d](double v) HWY_ATTR { return hn::Set(d, static_cast<T>(v)); };
  if constexpr (sizeof(T) == 8) {
    const V u2 = hn::Mul(u, u);
    const V p01 = hn::MulAdd(c(0.0083333333333309427687), u, c(-0.16666666666666665741));
    const V p23 = hn::MulAdd(c(2.7557316097877748734e-6), u, c(-1.9841269836749561161e-4));
    const V p45 = hn::MulAdd(c(1.5918059136982810771e-10), u, c(-2.5051130870968297276e-8));
    return hn::MulAdd(hn::MulAdd(p45, u2, p23), u2, p01);
  } else {
    const V p = hn::MulAdd(c(-1.9587764989177687699e-4), u, c(0.0083327476877910408581));
    return hn::MulAdd(p, u, c(-0.16666664659314783803));
  }
}

/// (cos r − 1 + r²/2)/r⁴ of u = r².
template <class D, class V>
HWY_INLINE HWY_ATTR V cosine_tail(D d, V u) {
  using T = hn::TFromD<D>;
  const auto c = [d](double v) HWY_ATTR { return hn::Set(d, static_cast<T>(v)); };
  if constexpr (sizeof(T) == 8) {
    const V u2 = hn::Mul(u, u);
    const V p01 = hn::MulAdd(c(-0.001388888888888739322), u, c(0.041666666666666664354));
    const V p23 = hn::MulAdd(c(-2.7557317268805390639e-7), u, c(2.4801587298760047889e-5));
    const V p45 = hn::MulAdd(c(-1.1382588535352521831e-11), u, c(2.0876145659059343676e-9));
    return hn::MulAdd(hn::MulAdd(p45, u2, p23), u2, p01);
  } else {
    const V p = hn::MulAdd(c(2.4547815928434131507e-5), u, c(-0.0013888302451873107447));
    return hn::MulAdd(p, u, c(0.041666664656496994745));
  }
}

/// One vector; false when some of its numbers are too large for it, or are none, and wait.
template <class D, class T>
HWY_INLINE HWY_ATTR bool vector_of(D d, const T* HWY_RESTRICT z, T scale, T* HWY_RESTRICT out) {
  using C = CosineConstants<T>;
  const hn::RebindToSigned<D> di;
  const auto given = hn::LoadU(d, z);
  const auto fits = hn::Le(hn::Abs(given), hn::Set(d, C::largest));
  const auto x = hn::IfThenElseZero(fits, given);
  const auto rounder = hn::Set(d, C::rounder);
  const auto shifted = hn::MulAdd(x, hn::Set(d, static_cast<T>(0.63661977236758134308)), rounder);
  const auto q = hn::Sub(shifted, rounder);
  auto r = hn::NegMulAdd(q, hn::Set(d, C::high), x);
  r = hn::NegMulAdd(q, hn::Set(d, C::middle), r);
  r = hn::NegMulAdd(q, hn::Set(d, C::low), r);

  const auto u = hn::Mul(r, r);
  const auto sine = hn::MulAdd(hn::Mul(r, u), sine_tail(d, u), r);
  const auto half = hn::NegMulAdd(u, hn::Set(d, T(0.5)), hn::Set(d, T(1)));
  const auto cosine = hn::MulAdd(hn::Mul(u, u), cosine_tail(d, u), half);

  // The low bits of `shifted` are q: odd ones exchange the two, the next bit is the sign.
  const auto bits = hn::BitCast(di, shifted);
  constexpr int to_sign = 8 * sizeof(T) - 2;
  const auto one = hn::Set(di, 1);
  const auto odd = hn::RebindMask(d, hn::Ne(hn::And(bits, one), hn::Zero(di)));
  const auto sign = [&](auto k) HWY_ATTR {
    return hn::And(hn::BitCast(d, hn::ShiftLeft<to_sign>(k)), hn::SignBit(d));
  };
  const auto s = hn::Set(d, scale);
  const auto c_out = hn::Xor(hn::IfThenElse(odd, sine, cosine), sign(hn::Add(bits, one)));
  const auto s_out = hn::Xor(hn::IfThenElse(odd, cosine, sine), sign(bits));
  hn::StoreInterleaved2(hn::Mul(c_out, s), hn::Mul(s_out, s), d, out);
  return hn::AllTrue(d, fits);
}

template <class T>
HWY_INLINE HWY_ATTR void pairs_of(const T* HWY_RESTRICT z, Index n, T scale, T* HWY_RESTRICT out) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  // Also the last few are done by a vector: a number's result does not depend on its place.
  HWY_ALIGN T in[hn::MaxLanes(d)], results[2 * hn::MaxLanes(d)];
  for (Index i = 0; i < n; i += lanes) {
    const Index count = std::min(lanes, n - i);
    const bool whole = count == lanes;
    if (!whole) {
      std::fill_n(in, lanes, T(0));
      std::copy_n(z + i, count, in);
    }
    const bool all = vector_of(d, whole ? z + i : in, scale, whole ? out + 2 * i : results);
    if (!whole) std::copy_n(results, 2 * count, out + 2 * i);
    for (Index j = i; !all && j < i + count; ++j) {
      if (std::abs(z[j]) <= CosineConstants<T>::largest) continue;
      out[2 * j] = scale * std::cos(z[j]);
      out[2 * j + 1] = scale * std::sin(z[j]);
    }
  }
}

HWY_ATTR void pairs_double(const double* z, Index n, double scale, double* out) {
  pairs_of(z, n, scale, out);
}
HWY_ATTR void pairs_float(const float* z, Index n, float scale, float* out) {
  pairs_of(z, n, scale, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace mercer
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer {

HWY_EXPORT(pairs_double);
HWY_EXPORT(pairs_float);

template <>
void cosines_and_sines(const double* z, Index n, double scale, double* out) {
  HWY_DYNAMIC_DISPATCH(pairs_double)(z, n, scale, out);
}
template <>
void cosines_and_sines(const float* z, Index n, float scale, float* out) {
  HWY_DYNAMIC_DISPATCH(pairs_float)(z, n, scale, out);
}

}  // namespace mercer
#endif
