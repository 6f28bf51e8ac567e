#include "simd/elementwise.hpp"

#include <algorithm>

// This file is compiled once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/elementwise.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

#include "simd/exp-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mercer {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Each functor below is one Function: f(d, z).

template <class T>
struct Identity {
  template <class D, class V>
  HWY_INLINE HWY_ATTR V operator()(D, V z) const {
    return z;
  }
};

template <class T>
struct Power {
  T a, b;
  int n;
  template <class D, class V>
  HWY_INLINE HWY_ATTR V operator()(D d, V z) const {
    V base = hn::MulAdd(hn::Set(d, a), z, hn::Set(d, b));
    int rest = n;
    while (rest % 2 == 0) {
      base = hn::Mul(base, base);
      rest /= 2;
    }
    V result = base;
    while (rest /= 2) {
      base = hn::Mul(base, base);
      if (rest % 2 == 1) result = hn::Mul(result, base);
    }
    return result;
  }
};

template <class T>
struct Exp {
  T a;
  template <class D, class V>
  HWY_INLINE HWY_ATTR V operator()(D d, V z) const {
    return exp_nonpositive(d, hn::Mul(hn::Set(d, -a), z));
  }
};

/// Polynomial in s of this degree (at most 2) times e^(−s).
template <class T, int degree>
struct Matern {
  T a;
  template <class D, class V>
  HWY_INLINE HWY_ATTR V operator()(D d, V z) const {
    // Far beyond where e^(−s) is 0, yet ∞·0 cannot happen.
    const V s = hn::Min(hn::Mul(hn::Set(d, a), hn::Sqrt(z)), hn::Set(d, T(4096)));
    const V e = exp_nonpositive(d, hn::Neg(s));
    const V one = hn::Set(d, T(1));
    if constexpr (degree == 0) return e;
    else if constexpr (degree == 1) return hn::Mul(hn::Add(one, s), e);
    else return hn::Mul(hn::MulAdd(s, hn::MulAdd(s, hn::Set(d, T(1) / T(3)), one), one), e);
  }
};

template <class T>
struct Reciprocal {
  T a;
  template <class D, class V>
  HWY_INLINE HWY_ATTR V operator()(D d, V z) const {
    const V one = hn::Set(d, T(1));
    return hn::Div(one, hn::MulAdd(hn::Set(d, a), z, one));
  }
};

template <class T>
struct Rational {
  T a, b;
  template <class D, class V>
  HWY_INLINE HWY_ATTR V operator()(D d, V z) const {
    return exp_nonpositive(d, hn::Mul(hn::Set(d, -b), hn::Log1p(d, hn::Mul(hn::Set(d, a), z))));
  }
};

template <class T>
struct Tanh {
  T a, b;
  template <class D, class V>
  HWY_INLINE HWY_ATTR V operator()(D d, V z) const {
    return hn::Tanh(d, hn::MulAdd(hn::Set(d, a), z, hn::Set(d, b)));
  }
};

/// One row: out = f(z), and `watch` turns into NaN when something is not finite. There is one call
/// of f, the rest of a row goes through it in a padded copy: sanitizers take minutes over more.
template <bool distances, class D, class F, class V = hn::Vec<D>, class T = hn::TFromD<D>>
HWY_INLINE HWY_ATTR V one_row(D d, const F& f, const T* in, T* out, Index cols, T row_square,
                              const T* column_squares, V watch) {
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const V zero = hn::Zero(d);
  T rest[HWY_LANES(T)] = {}, rest_squares[HWY_LANES(T)] = {};
  for (Index j = 0; j < cols; j += lanes) {
    const bool whole = j + lanes <= cols;
    const T *from = in + j, *squares = distances ? column_squares + j : nullptr;
    if (!whole) {
      std::copy(from, in + cols, rest);
      from = rest;
      if constexpr (distances) {
        std::copy(squares, column_squares + cols, rest_squares);
        squares = rest_squares;
      }
    }
    const V v = hn::LoadU(d, from);
    V z = v;
    if constexpr (distances) {
      const V sum = hn::Add(hn::Set(d, row_square), hn::LoadU(d, squares));
      // The exact z is not negative: 0 is nearer to it than a negative rounding error.
      z = hn::Max(zero, hn::NegMulAdd(hn::Set(d, T(2)), v, sum));
    }
    const V y = f(d, z);
    // 0·∞ and 0·NaN are NaN, and stay.
    watch = hn::MulAdd(zero, v, watch);
    watch = hn::MulAdd(zero, y, watch);
    if (whole) {
      hn::StoreU(y, d, out + j);
    } else {
      hn::StoreU(y, d, rest);
      std::copy(rest, rest + (cols - j), out + j);
    }
  }
  return watch;
}

template <bool distances, class T, class F>
HWY_ATTR bool all_rows(const F& f, const Sweep<T>& s) {
  const hn::CappedTag<T, HWY_LANES(T)> d;
  auto watch = hn::Zero(d);
  for (Index i = 0; i < s.rows; ++i)
    watch = one_row<distances>(d, f, s.in + i * s.in_stride, s.out + i * s.out_stride, s.cols,
                               distances ? s.row_squares[i] : T(0), s.column_squares, watch);
  return hn::AllTrue(d, hn::Eq(watch, hn::Zero(d)));
}

/// With the distances in the same pass: for the functions that kernels have of them.
template <class T, class F>
HWY_ATTR bool fused_rows(const F& f, const Sweep<T>& s) {
  return s.row_squares ? all_rows<true>(f, s) : all_rows<false>(f, s);
}

template <class T>
HWY_ATTR bool apply_any(const Formula<T>& f, const Sweep<T>& s) {
  switch (f.function) {
    case Function::identity:
      return fused_rows(Identity<T>{}, s);
    case Function::exp:
      return fused_rows(Exp<T>{f.a}, s);
    case Function::reciprocal:
      return fused_rows(Reciprocal<T>{f.a}, s);
    case Function::rational:
      return fused_rows(Rational<T>{f.a, f.b}, s);
    case Function::power:
      return all_rows<false>(Power<T>{f.a, f.b, f.n}, s);
    case Function::exp_root:
      return all_rows<false>(Matern<T, 0>{f.a}, s);
    case Function::matern3:
      return all_rows<false>(Matern<T, 1>{f.a}, s);
    case Function::matern5:
      return all_rows<false>(Matern<T, 2>{f.a}, s);
    case Function::tanh:
      return all_rows<false>(Tanh<T>{f.a, f.b}, s);
  }
  return false;
}

/// out = out + in, or out·in.
template <bool product, class T>
HWY_ATTR bool combine(const Sweep<T>& s) {
  const hn::CappedTag<T, HWY_LANES(T)> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const auto zero = hn::Zero(d);
  auto watch = zero;
  for (Index i = 0; i < s.rows; ++i) {
    const T* in = s.in + i * s.in_stride;
    T* out = s.out + i * s.out_stride;
    const auto step = [&](const T* from, T* to) HWY_ATTR {
      const auto p = hn::LoadU(d, to), q = hn::LoadU(d, from);
      const auto r = product ? hn::Mul(p, q) : hn::Add(p, q);
      hn::StoreU(r, d, to);
      watch = hn::MulAdd(zero, r, watch);
    };
    Index j = 0;
    for (; j + lanes <= s.cols; j += lanes) step(in + j, out + j);
    if (j < s.cols) {
      T p[HWY_LANES(T)] = {}, q[HWY_LANES(T)] = {};
      std::copy(out + j, out + s.cols, p);
      std::copy(in + j, in + s.cols, q);
      step(q, p);
      std::copy(p, p + (s.cols - j), out + j);
    }
  }
  return hn::AllTrue(d, hn::Eq(watch, zero));
}

HWY_ATTR bool apply_doubles(const Formula<double>& f, const Sweep<double>& s) {
  return apply_any(f, s);
}
HWY_ATTR bool apply_floats(const Formula<float>& f, const Sweep<float>& s) {
  return apply_any(f, s);
}
HWY_ATTR bool add_doubles(const Sweep<double>& s) { return combine<false>(s); }
HWY_ATTR bool add_floats(const Sweep<float>& s) { return combine<false>(s); }
HWY_ATTR bool multiply_doubles(const Sweep<double>& s) { return combine<true>(s); }
HWY_ATTR bool multiply_floats(const Sweep<float>& s) { return combine<true>(s); }

}  // namespace HWY_NAMESPACE
}  // namespace mercer
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer {

HWY_EXPORT(apply_doubles);
HWY_EXPORT(apply_floats);
HWY_EXPORT(add_doubles);
HWY_EXPORT(add_floats);
HWY_EXPORT(multiply_doubles);
HWY_EXPORT(multiply_floats);

template <>
bool apply(const Formula<double>& formula, const Sweep<double>& sweep) {
  return HWY_DYNAMIC_DISPATCH(apply_doubles)(formula, sweep);
}
template <>
bool apply(const Formula<float>& formula, const Sweep<float>& sweep) {
  return HWY_DYNAMIC_DISPATCH(apply_floats)(formula, sweep);
}
template <>
bool add_tile(const Sweep<double>& sweep) {
  return HWY_DYNAMIC_DISPATCH(add_doubles)(sweep);
}
template <>
bool add_tile(const Sweep<float>& sweep) {
  return HWY_DYNAMIC_DISPATCH(add_floats)(sweep);
}
template <>
bool multiply_tile(const Sweep<double>& sweep) {
  return HWY_DYNAMIC_DISPATCH(multiply_doubles)(sweep);
}
template <>
bool multiply_tile(const Sweep<float>& sweep) {
  return HWY_DYNAMIC_DISPATCH(multiply_floats)(sweep);
}

}  // namespace mercer
#endif
