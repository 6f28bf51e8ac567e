#include "kernels/formula.hpp"

#include <cmath>
#include <limits>

namespace mercer {

namespace {

/// p(s)·e^(−s) − 1 with p = 1 + s + q·s², q = 0 or 1/3: both begin with s², which a difference of
/// values near 1 would lose. Σ (−s)ⁿ/n!·(1 − n + q·n(n−1)); beyond s = 2 nothing is lost.
double fallen_matern(double s, double q) {
  if (s > 2) return (1 + s + q * s * s) * std::exp(-s) - 1;
  constexpr int terms = 28;  // 2²⁸/28! < 1e-21
  double sum = 0;
  for (int n = terms; n >= 2; --n) sum = 1 - n + q * n * (n - 1) - s / (n + 1) * sum;
  // The loop leaves c₂ − s/3·(c₃ − s/4·(…)), and the series is s²/2 times that.
  return s * s / 2 * sum;
}

/// (1 + …)^n and its derivative need the base to integer powers.
double integer_power(double base, int n) { return n == 0 ? 1 : std::pow(base, n); }

}  // namespace

double scale_of(const Formula<double>& f) {
  switch (f.function) {
    case Function::exp:
    case Function::reciprocal:
    case Function::rational:
      return f.a > 0 ? 1 / f.a : std::numeric_limits<double>::infinity();
    default:
      return 0;
  }
}

double slope(const Formula<double>& f, double z) {
  const double a = f.a, s = z > 0 ? a * std::sqrt(z) : 0;
  switch (f.function) {
    case Function::identity:
      return 1;
    case Function::power:
      return f.n * a * integer_power(a * z + f.b, f.n - 1);
    case Function::exp:
      return -a * std::exp(-a * z);
    case Function::exp_root:
      return z > 0 ? -a * a / (2 * s) * std::exp(-s) : 0;
    case Function::matern3:
      return -a * a / 2 * std::exp(-s);
    case Function::matern5:
      return -a * a / 6 * (1 + s) * std::exp(-s);
    case Function::reciprocal:
      return -a / (1 + a * z) / (1 + a * z);
    case Function::rational:
      return -a * f.b * std::exp(-(f.b + 1) * std::log1p(a * z));
    case Function::tanh: {
      const double c = std::cosh(a * z + f.b);
      return a / c / c;
    }
  }
  return 0;
}

double fallen(const Formula<double>& f, double z) {
  switch (f.function) {
    case Function::exp:
      return std::expm1(-f.a * z);
    case Function::exp_root:
      return std::expm1(-f.a * std::sqrt(z));
    case Function::matern3:
      return fallen_matern(f.a * std::sqrt(z), 0);
    case Function::matern5:
      return fallen_matern(f.a * std::sqrt(z), 1.0 / 3);
    case Function::reciprocal:
      return -f.a * z / (1 + f.a * z);
    case Function::rational:
      return std::expm1(-f.b * std::log1p(f.a * z));
    default:
      return 0;
  }
}

bool apply_fallen(const Formula<double>& formula, const Sweep<double>& s) {
  bool finite = true;
  for (Index i = 0; i < s.rows; ++i)
    for (Index j = 0; j < s.cols; ++j) {
      const double z = s.in[i * s.in_stride + j], value = fallen(formula, z);
      s.out[i * s.out_stride + j] = value;
      finite = finite && std::isfinite(z) && std::isfinite(value);
    }
  return finite;
}

}  // namespace mercer
