#include "simd/spectrum.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

// This file is compiled once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/spectrum.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mercer {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::CappedTag<T, static_cast<std::size_t>(sequences<T>)>;

/// A vector of complex numbers.
template <class T>
struct Complex {
  using V = hn::Vec<Tag<T>>;
  V re, im;
  HWY_INLINE HWY_ATTR Complex operator+(Complex b) const {
    return {hn::Add(re, b.re), hn::Add(im, b.im)};
  }
  HWY_INLINE HWY_ATTR Complex operator-(Complex b) const {
    return {hn::Sub(re, b.re), hn::Sub(im, b.im)};
  }
  HWY_INLINE HWY_ATTR Complex operator*(Complex b) const {
    return {hn::NegMulAdd(im, b.im, hn::Mul(re, b.re)), hn::MulAdd(im, b.re, hn::Mul(re, b.im))};
  }
  HWY_INLINE HWY_ATTR Complex times_i() const { return {hn::Neg(im), re}; }
  HWY_INLINE HWY_ATTR Complex conjugate() const { return {re, hn::Neg(im)}; }
};

/// From one number of a sequence to the next.
template <class T>
constexpr Index stride = 2 * sequences<T>;

template <class T>
HWY_INLINE HWY_ATTR Complex<T> load(const T* z) {
  return {hn::LoadU(Tag<T>(), z), hn::LoadU(Tag<T>(), z + sequences<T>)};
}
template <class T>
HWY_INLINE HWY_ATTR void store(T* z, Complex<T> value) {
  hn::StoreU(value.re, Tag<T>(), z);
  hn::StoreU(value.im, Tag<T>(), z + sequences<T>);
}

template <class T>
HWY_INLINE HWY_ATTR Complex<T> root(const T* roots, Index size, Index k, bool back) {
  const T im = roots[size + k];
  return {hn::Set(Tag<T>(), roots[k]), hn::Set(Tag<T>(), back ? -im : im)};
}

/// Pairs of neighbours: what is left when fours have no part in an odd power of two.
template <class T>
HWY_INLINE HWY_ATTR void twos(Index size, T* HWY_RESTRICT z) {
  const auto lanes = static_cast<Index>(hn::Lanes(Tag<T>()));
  for (Index start = 0; start < size; start += 2)
    for (Index v = 0; v < sequences<T>; v += lanes) {
      const Index at = start * stride<T> + v;
      const auto a = load(z + at), b = load(z + at + stride<T>);
      store(z + at, a + b);
      store(z + at + stride<T>, a - b);
    }
}

/// Two halvings at once: spans of 2·half into four parts, or back.
template <bool back, class T>
HWY_INLINE HWY_ATTR void fours(const T* roots, Index size, Index half, T* HWY_RESTRICT z) {
  const auto lanes = static_cast<Index>(hn::Lanes(Tag<T>()));
  const Index quarter = half / 2, step = size / (2 * half), apart = quarter * stride<T>;
  for (Index start = 0; start < size; start += 2 * half)
    for (Index j = 0; j < quarter; ++j) {
      const auto w1 = root(roots, size, j * step, back);
      const auto w2 = root(roots, size, 2 * j * step, back);
      const auto w3 = root(roots, size, 3 * j * step, back);
      for (Index v = 0; v < sequences<T>; v += lanes) {
        const Index at = (start + j) * stride<T> + v;
        const auto a = load(z + at), b = load(z + at + apart);
        const auto c = load(z + at + 2 * apart), d = load(z + at + 3 * apart);
        if constexpr (back) {
          const auto even = b * w2, p = c * w1, q = d * w3;
          const auto s = a + even, u = a - even, t = p + q, y = (p - q).times_i();
          store(z + at, s + t);
          store(z + at + apart, u + y);
          store(z + at + 2 * apart, s - t);
          store(z + at + 3 * apart, u - y);
        } else {
          const auto s = a + c, t = a - c, u = b + d, i_y = (b - d).times_i();
          store(z + at, s + u);
          store(z + at + apart, (s - u) * w2);
          store(z + at + 2 * apart, (t - i_y) * w1);
          store(z + at + 3 * apart, (t + i_y) * w3);
        }
      }
    }
}

template <class T>
HWY_INLINE HWY_ATTR void forward(const T* roots, Index size, T* HWY_RESTRICT z) {
  Index half = size / 2;
  for (; half >= 2; half /= 4) fours<false>(roots, size, half, z);
  if (half == 1) twos(size, z);
}

template <class T>
HWY_INLINE HWY_ATTR void backward(const T* roots, Index size, T* HWY_RESTRICT z) {
  const bool odd = std::countr_zero(static_cast<std::uint64_t>(size)) % 2 == 1;
  if (odd) twos(size, z);
  for (Index half = odd ? 4 : 2; half <= size / 2; half *= 4) fours<true>(roots, size, half, z);
}

template <class T>
HWY_INLINE HWY_ATTR void multiply(Index size, const T* HWY_RESTRICT z, bool both,
                                  T* HWY_RESTRICT product) {
  const Tag<T> tag;
  const auto lanes = static_cast<Index>(hn::Lanes(tag));
  const auto half = hn::Set(tag, T(0.5));
  for (Index k = 0; k < size; ++k) {
    // −k keeps the last 1 of k and flips what is before it; in reverse order, what is after it.
    const Index opposite =
        k < 2 ? k : k ^ (static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(k))) - 1);
    for (Index v = 0; v < sequences<T>; v += lanes) {
      const Index at = k * stride<T> + v;
      auto factor = load(z + at);
      if (both) {
        const auto mirrored = load(z + opposite * stride<T> + v).conjugate();
        auto a = factor + mirrored, i_b = factor - mirrored;  // 2â, 2ib̂
        a = {hn::Mul(a.re, half), hn::Mul(a.im, half)};
        const Complex<T> b = {hn::Mul(i_b.im, half), hn::Mul(hn::Neg(i_b.re), half)};
        factor = a * b;
      }
      store(product + at, load(product + at) * factor);
    }
  }
}

#define MERCER_SPECTRUM_OF(T)                                                                 \
  HWY_ATTR void forward_##T(const T* roots, Index size, T* z) { forward<T>(roots, size, z); } \
  HWY_ATTR void back_##T(const T* roots, Index size, T* z) { backward<T>(roots, size, z); }   \
  HWY_ATTR void multiply_##T(Index size, const T* z, bool both, T* product) {                 \
    multiply<T>(size, z, both, product);                                                      \
  }
MERCER_SPECTRUM_OF(float)
MERCER_SPECTRUM_OF(double)
#undef MERCER_SPECTRUM_OF

}  // namespace HWY_NAMESPACE
}  // namespace mercer
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer {

HWY_EXPORT(forward_float);
HWY_EXPORT(forward_double);
HWY_EXPORT(back_float);
HWY_EXPORT(back_double);
HWY_EXPORT(multiply_float);
HWY_EXPORT(multiply_double);

template <class T>
Vector<T> roots_of_unity(Index size) {
  Vector<T> roots(2 * size);
  for (Index k = 0; k < size; ++k) {
    const double angle = -6.283185307179586 * static_cast<double>(k) / static_cast<double>(size);
    roots[k] = static_cast<T>(std::cos(angle));
    roots[size + k] = static_cast<T>(std::sin(angle));
  }
  return roots;
}
template Vector<float> roots_of_unity(Index);
template Vector<double> roots_of_unity(Index);

template <>
void transform_forward(const Vector<float>& roots, Index size, float* z) {
  HWY_DYNAMIC_DISPATCH(forward_float)(roots.data(), size, z);
}
template <>
void transform_back(const Vector<float>& roots, Index size, float* z) {
  HWY_DYNAMIC_DISPATCH(back_float)(roots.data(), size, z);
}
template <>
void multiply_transforms(Index size, const float* z, bool both, float* product) {
  HWY_DYNAMIC_DISPATCH(multiply_float)(size, z, both, product);
}
template <>
void transform_forward(const Vector<double>& roots, Index size, double* z) {
  HWY_DYNAMIC_DISPATCH(forward_double)(roots.data(), size, z);
}
template <>
void transform_back(const Vector<double>& roots, Index size, double* z) {
  HWY_DYNAMIC_DISPATCH(back_double)(roots.data(), size, z);
}
template <>
void multiply_transforms(Index size, const double* z, bool both, double* product) {
  HWY_DYNAMIC_DISPATCH(multiply_double)(size, z, both, product);
}

}  // namespace mercer
#endif
