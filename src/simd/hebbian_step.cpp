#include "simd/hebbian_step.hpp"

// This file is compiled once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/hebbian_step.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace mercer {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<double>;

HWY_ATTR Index lane_count() { return static_cast<Index>(hn::Lanes(Tag())); }

/// Four vectors of columns: their residuals and the next row stay in eight registers while the rows
/// of W pass by. Sums of the next outputs are kept a vector each in `sums`, and behind them that of
/// the squares of what is left of x.
template <bool learn, bool look>
HWY_ATTR void four_vectors(double* w, Index k, Index d, const double* x, const double* y,
                           double eta, const double* next, double* sums) {
  const Tag tag;
  const Index n = lane_count();
  auto r0 = hn::Zero(tag), r1 = r0, r2 = r0, r3 = r0, x0 = r0, x1 = r0, x2 = r0, x3 = r0;
  if (learn) {
    r0 = hn::LoadU(tag, x), r1 = hn::LoadU(tag, x + n);
    r2 = hn::LoadU(tag, x + 2 * n), r3 = hn::LoadU(tag, x + 3 * n);
  }
  if (look) {
    x0 = hn::LoadU(tag, next), x1 = hn::LoadU(tag, next + n);
    x2 = hn::LoadU(tag, next + 2 * n), x3 = hn::LoadU(tag, next + 3 * n);
  }
  for (Index j = 0; j < k; ++j, w += d, sums += n) {
    auto w0 = hn::LoadU(tag, w), w1 = hn::LoadU(tag, w + n);
    auto w2 = hn::LoadU(tag, w + 2 * n), w3 = hn::LoadU(tag, w + 3 * n);
    if (learn) {
      const auto output = hn::Set(tag, y[j]), step = hn::Set(tag, eta * y[j]);
      r0 = hn::NegMulAdd(output, w0, r0), r1 = hn::NegMulAdd(output, w1, r1);
      r2 = hn::NegMulAdd(output, w2, r2), r3 = hn::NegMulAdd(output, w3, r3);
      w0 = hn::MulAdd(step, r0, w0), w1 = hn::MulAdd(step, r1, w1);
      w2 = hn::MulAdd(step, r2, w2), w3 = hn::MulAdd(step, r3, w3);
      hn::StoreU(w0, tag, w), hn::StoreU(w1, tag, w + n);
      hn::StoreU(w2, tag, w + 2 * n), hn::StoreU(w3, tag, w + 3 * n);
    }
    if (look) {
      auto sum = hn::LoadU(tag, sums);
      sum = hn::MulAdd(w0, x0, sum);
      sum = hn::MulAdd(w1, x1, sum);
      sum = hn::MulAdd(w2, x2, sum);
      sum = hn::MulAdd(w3, x3, sum);
      hn::StoreU(sum, tag, sums);
    }
  }
  if (learn) {
    auto sum = hn::LoadU(tag, sums);
    sum = hn::MulAdd(r0, r0, sum);
    sum = hn::MulAdd(r1, r1, sum);
    sum = hn::MulAdd(r2, r2, sum);
    sum = hn::MulAdd(r3, r3, sum);
    hn::StoreU(sum, tag, sums);
  }
}

template <bool learn, bool look>
HWY_ATTR void one_vector(double* w, Index k, Index d, const double* x, const double* y, double eta,
                         const double* next, double* sums) {
  const Tag tag;
  const Index n = lane_count();
  auto r = hn::Zero(tag), to = r;
  if (learn) r = hn::LoadU(tag, x);
  if (look) to = hn::LoadU(tag, next);
  for (Index j = 0; j < k; ++j, w += d, sums += n) {
    auto v = hn::LoadU(tag, w);
    if (learn) {
      r = hn::NegMulAdd(hn::Set(tag, y[j]), v, r);
      v = hn::MulAdd(hn::Set(tag, eta * y[j]), r, v);
      hn::StoreU(v, tag, w);
    }
    if (look) hn::StoreU(hn::MulAdd(v, to, hn::LoadU(tag, sums)), tag, sums);
  }
  if (learn) hn::StoreU(hn::MulAdd(r, r, hn::LoadU(tag, sums)), tag, sums);
}

/// ‖x − Wᵀy‖² with the weights before the step, where it learns.
template <bool learn, bool look>
HWY_ATTR double sweep(double* w, Index k, Index d, const double* x, const double* y, double eta,
                      const double* next, double* next_y, double* sums) {
  const Tag tag;
  const Index n = lane_count();
  if (look)
    for (Index j = 0; j < k; ++j) hn::StoreU(hn::Zero(tag), tag, sums + j * n);
  hn::StoreU(hn::Zero(tag), tag, sums + k * n);
  Index c = 0;
  for (; c + 4 * n <= d; c += 4 * n)
    four_vectors<learn, look>(w + c, k, d, x + c, y, eta, next + c, sums);
  for (; c + n <= d; c += n) one_vector<learn, look>(w + c, k, d, x + c, y, eta, next + c, sums);
  if (look)
    for (Index j = 0; j < k; ++j)
      next_y[j] = hn::GetLane(hn::SumOfLanes(tag, hn::LoadU(tag, sums + j * n)));
  double rest = learn ? hn::GetLane(hn::SumOfLanes(tag, hn::LoadU(tag, sums + k * n))) : 0;
  for (; c < d; ++c) {
    double r = learn ? x[c] : 0;
    for (Index j = 0; j < k; ++j) {
      double& v = w[j * d + c];
      if (learn) {
        r -= y[j] * v;
        v += eta * y[j] * r;
      }
      if (look) next_y[j] += v * next[c];
    }
    rest += r * r;
  }
  return rest;
}

HWY_ATTR void products(double* w, Index k, Index d, const double* x, double* y, double* sums) {
  sweep<false, true>(w, k, d, x, nullptr, 0, x, y, sums);
}

HWY_ATTR double sanger(double* w, Index k, Index d, const double* x, const double* y, double eta,
                       const double* next, double* next_y, double* sums) {
  if (next) return sweep<true, true>(w, k, d, x, y, eta, next, next_y, sums);
  return sweep<true, false>(w, k, d, x, y, eta, x, nullptr, sums);
}

HWY_ATTR double subtract(const double* x, const double* mean, Index d, double* out) {
  const Tag tag;
  const Index n = lane_count();
  auto even = hn::Zero(tag), odd = even;
  Index c = 0;
  for (; c + 2 * n <= d; c += 2 * n) {
    const auto a = hn::Sub(hn::LoadU(tag, x + c), hn::LoadU(tag, mean + c));
    const auto b = hn::Sub(hn::LoadU(tag, x + c + n), hn::LoadU(tag, mean + c + n));
    even = hn::MulAdd(a, a, even), odd = hn::MulAdd(b, b, odd);
    hn::StoreU(a, tag, out + c), hn::StoreU(b, tag, out + c + n);
  }
  double square = hn::GetLane(hn::SumOfLanes(tag, hn::Add(even, odd)));
  for (; c < d; ++c) {
    out[c] = x[c] - mean[c];
    square += out[c] * out[c];
  }
  return square;
}

HWY_ATTR void move(double* mean, double* lost, double gain, double* row, Index d) {
  const Tag tag;
  const Index n = lane_count();
  const auto share = hn::Set(tag, gain), rest = hn::Set(tag, 1 - gain);
  Index c = 0;
  for (; c + n <= d; c += n) {
    const auto x = hn::LoadU(tag, row + c), m = hn::LoadU(tag, mean + c);
    const auto next = hn::MulAdd(share, x, m), moved = hn::Sub(next, m);
    // Knuth's TwoSum of m and its move.
    const auto now = hn::Add(hn::Sub(m, hn::Sub(next, moved)), hn::Sub(hn::Mul(share, x), moved));
    hn::StoreU(hn::MulAdd(rest, hn::LoadU(tag, lost + c), now), tag, lost + c);
    hn::StoreU(next, tag, mean + c);
    hn::StoreU(hn::Mul(rest, x), tag, row + c);
  }
  for (; c < d; ++c) {
    const double m = mean[c];
    mean[c] += gain * row[c];
    const double moved = mean[c] - m;
    lost[c] = (1 - gain) * lost[c] + ((m - (mean[c] - moved)) + (gain * row[c] - moved));
    row[c] *= 1 - gain;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mercer
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer {

HWY_EXPORT(lane_count);
HWY_EXPORT(products);
HWY_EXPORT(sanger);
HWY_EXPORT(subtract);
HWY_EXPORT(move);

double subtract_mean(const double* x, const double* mean, Index d, double* out) {
  return HWY_DYNAMIC_DISPATCH(subtract)(x, mean, d, out);
}

void move_mean(double* mean, double* lost, double gain, double* row, Index d) {
  HWY_DYNAMIC_DISPATCH(move)(mean, lost, gain, row, d);
}

Index hebbian_scratch(Index k) {
  // One vector per neuron and one more; enough for all sets of one machine, as tests change between
  // them.
  constexpr Index widest_x86 = 8;
  return (k + 1) * std::max(widest_x86, HWY_DYNAMIC_DISPATCH(lane_count)());
}

void outputs(const double* w, Index k, Index d, const double* x, double* y, double* scratch) {
  HWY_DYNAMIC_DISPATCH(products)(const_cast<double*>(w), k, d, x, y, scratch);
}

double sanger_step(double* w, Index k, Index d, const double* x, const double* y, double eta,
                   const double* next, double* next_y, double* scratch) {
  return HWY_DYNAMIC_DISPATCH(sanger)(w, k, d, x, y, eta, next, next_y, scratch);
}

}  // namespace mercer
#endif
