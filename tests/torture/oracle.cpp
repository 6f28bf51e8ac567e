#include "torture/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace mercer::torture {

namespace {

// 113 bits, by the compiler's own routines.
__extension__ using Quad = __float128;
using Long = long double;

template <class R>
struct Square {
  Index n = 0;
  std::vector<R> cells;
  explicit Square(Index size) : n(size), cells(static_cast<std::size_t>(size * size)) {}
  R& operator()(Index i, Index j) { return cells[static_cast<std::size_t>(i * n + j)]; }
};

/// Cyclic Jacobi rotations: each eigenvalue to a few ε of the largest.
std::vector<double> jacobi(Square<Long>& a) {
  const Index n = a.n;
  Long all = 0;
  for (const Long x : a.cells) all = std::max(all, std::abs(x));
  const Long tiny = all * 1e-21L;
  for (int sweep = 0; sweep < 60; ++sweep) {
    Long off = 0;
    for (Index p = 0; p < n; ++p)
      for (Index q = p + 1; q < n; ++q) {
        const Long apq = a(p, q);
        off = std::max(off, std::abs(apq));
        if (std::abs(apq) <= tiny) continue;
        const Long theta = (a(q, q) - a(p, p)) / (2 * apq);
        const Long t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const Long c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (Index k = 0; k < n; ++k) {
          const Long kp = a(k, p), kq = a(k, q);
          a(k, p) = c * kp - s * kq;
          a(k, q) = s * kp + c * kq;
        }
        for (Index k = 0; k < n; ++k) {
          const Long pk = a(p, k), qk = a(q, k);
          a(p, k) = c * pk - s * qk;
          a(q, k) = s * pk + c * qk;
        }
      }
    if (off <= tiny) break;
  }
  std::vector<double> values;
  for (Index i = 0; i < n; ++i) values.push_back(static_cast<double>(a(i, i)));
  std::sort(values.rbegin(), values.rend());
  return values;
}

Quad weight(const Problem& p, Index i) {
  return p.weights.empty() ? 1 : p.weights[static_cast<std::size_t>(i)];
}

Quad dot(const Problem& p, Index i, Index j) {
  Quad sum = 0;
  for (Index c = 0; c < p.x.cols(); ++c) sum += static_cast<Quad>(p.x(i, c)) * p.x(j, c);
  return sum;
}

/// k(x_i, x_j), less 1 for the kernels that are 1 at 0 where `less_one`: nothing that is added to
/// all entries survives centring, and near 1 it would cost digits.
Quad value(const Problem& p, const KernelSpec& k, bool less_one, Index i, Index j) {
  using Shape = KernelSpec::Shape;
  Quad squares = 0, absolute = 0;
  for (Index c = 0; c < p.x.cols(); ++c) {
    const Quad d = static_cast<Quad>(p.x(i, c)) - p.x(j, c);
    squares += d * d;
    absolute += d < 0 ? -d : d;
  }
  const Quad one = less_one ? 0 : 1;
  Quad out = 0;
  switch (k.shape) {
    case Shape::linear:
      out = dot(p, i, j);
      break;
    case Shape::rbf:
      out = expm1l(static_cast<Long>(-squares * k.gamma)) + one;
      break;
    case Shape::laplacian:
      out = expm1l(static_cast<Long>(-absolute * k.gamma)) + one;
      break;
    case Shape::poly: {
      const Quad base = dot(p, i, j) + k.coef0;
      out = 1;
      for (int d = 0; d < k.degree; ++d) out *= base;
      break;
    }
    case Shape::cosine: {
      const Quad ii = dot(p, i, i), jj = dot(p, j, j);
      if (ii > 0 && jj > 0)
        out = dot(p, i, j) / static_cast<Quad>(sqrtl(static_cast<Long>(ii))) /
              static_cast<Quad>(sqrtl(static_cast<Long>(jj)));
      break;
    }
    case Shape::rational_quadratic: {
      const Quad s = squares / (static_cast<Quad>(2) * k.length * k.length);
      out = -s / (1 + s) + one;
      break;
    }
  }
  return k.factor * out + (k.linear_part != 0 ? k.linear_part * dot(p, i, j) : 0);
}

Truth of_matrix(Square<Quad>& a, const Problem& p, bool weighted_rows) {
  const Index n = a.n;
  if (weighted_rows) {  // centre and weigh the N×N matrix
    Quad total = 0;
    for (Index i = 0; i < n; ++i) total += weight(p, i);
    if (p.center) {
      std::vector<Quad> mean(static_cast<std::size_t>(n));
      Quad overall = 0;
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) mean[static_cast<std::size_t>(i)] += weight(p, j) * a(i, j);
        mean[static_cast<std::size_t>(i)] /= total;
        overall += weight(p, i) * mean[static_cast<std::size_t>(i)];
      }
      overall /= total;
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j)
          a(i, j) +=
              overall - mean[static_cast<std::size_t>(i)] - mean[static_cast<std::size_t>(j)];
    }
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        a(i, j) *= static_cast<Quad>(sqrtl(static_cast<Long>(weight(p, i) * weight(p, j))));
  }
  Truth truth;
  Square<Long> rounded(n);
  Quad trace = 0;
  for (Index i = 0; i < n; ++i) trace += a(i, i);
  for (std::size_t i = 0; i < a.cells.size(); ++i) rounded.cells[i] = static_cast<Long>(a.cells[i]);
  truth.trace = static_cast<double>(trace);
  truth.eigenvalues = jacobi(rounded);
  return truth;
}

}  // namespace

Truth truth_of(const Problem& p) {
  const Index n = p.x.rows(), d = p.x.cols();
  if (p.kernel) {
    const bool less_one = p.center;
    Square<Quad> a(n);
    double size = 0;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) a(i, j) = value(p, *p.kernel, less_one, i, j);
      size += static_cast<double>(weight(p, i) * value(p, *p.kernel, false, i, i));
    }
    Truth truth = of_matrix(a, p, true);
    truth.size = size;
    // Exponentials and cosines to 64 bits; differences of what is left after 1 was taken off.
    truth.error = 1e-17 * std::max(truth.trace, 0.0) + (less_one ? 1e-19 : 1e-18) * size;
    return truth;
  }
  Quad total = 0;
  std::vector<Quad> mean(static_cast<std::size_t>(d));
  double size = 0;
  for (Index i = 0; i < n; ++i) {
    total += weight(p, i);
    for (Index j = 0; j < d; ++j) {
      mean[static_cast<std::size_t>(j)] += weight(p, i) * p.x(i, j);
      size += static_cast<double>(weight(p, i) * p.x(i, j)) * p.x(i, j);
    }
  }
  for (Quad& m : mean) m = p.center ? m / total : 0;
  Square<Quad> s(d);
  for (Index i = 0; i < n; ++i)
    for (Index a = 0; a < d; ++a)
      for (Index b = 0; b < d; ++b)
        s(a, b) += weight(p, i) * (p.x(i, a) - mean[static_cast<std::size_t>(a)]) *
                   (p.x(i, b) - mean[static_cast<std::size_t>(b)]);
  Truth truth = of_matrix(s, p, false);
  truth.size = size;
  truth.error = 1e-17 * std::max(truth.trace, 0.0) + 1e-30 * size;
  return truth;
}

}  // namespace mercer::torture
