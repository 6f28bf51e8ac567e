#include "diagnostics/quantiles.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace mercer {

namespace {

constexpr double tiny = 1e-300;
constexpr double ulp = std::numeric_limits<double>::epsilon();

/// A continued fraction b₀ + a₁/(b₁ + a₂/(b₂ + …)) by Lentz's method; `term(i)` gives a_i and b_i.
struct Term {
  double a, b;
};
double continued_fraction(double b0, double most, const std::function<Term(double)>& term) {
  double f = b0 == 0 ? tiny : b0, c = f, d = 0;
  for (int i = 1; i <= most; ++i) {
    const Term t = term(i);
    d = t.b + t.a * d;
    c = t.b + t.a / c;
    if (std::abs(d) < tiny) d = tiny;
    if (std::abs(c) < tiny) c = tiny;
    d = 1 / d;
    f *= c * d;
    if (std::abs(c * d - 1) < ulp) break;
  }
  return f;
}

/// Both expansions need some √a terms near x = a.
double most_terms(double a) { return 1000 + 20 * std::sqrt(a); }

double gamma_series(double a, double x) {
  double term = 1 / a, sum = term;
  for (int i = 1; i <= most_terms(a); ++i) {
    term *= x / (a + i);
    sum += term;
    if (term < ulp * sum) break;
  }
  return sum * std::exp(a * std::log(x) - x - std::lgamma(a));
}

double gamma_fraction(double a, double x) {
  const double f = continued_fraction(x + 1 - a, most_terms(a), [&](double i) {
    return Term{-i * (i - a), x + 2 * i + 1 - a};
  });
  return std::exp(a * std::log(x) - x - std::lgamma(a)) / f;
}

/// The fraction of I_x(a, b), quick for x < (a + 1)/(a + b + 2).
double beta_fraction(double a, double b, double x) {
  const double f = continued_fraction(1, most_terms(a + b), [&](double i) {
    const double m = std::floor(i / 2);
    const bool even = 2 * m == i;
    const double numerator = even ? m * (b - m) * x : -(a + m) * (a + b + m) * x;
    return Term{numerator / ((a + i - 1) * (a + i)), 1};
  });
  const double front =
      a * std::log(x) + b * std::log1p(-x) + std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b);
  return std::exp(front) / a / f;
}

/// Where a falling function of log x crosses 0, by bisection: used once per model.
double crossing(double low, double high, const std::function<double(double)>& f) {
  while (high - low > 4 * ulp * std::max(1.0, std::abs(low) + std::abs(high))) {
    const double middle = low + (high - low) / 2;
    (f(std::exp(middle)) > 0 ? low : high) = middle;
  }
  return std::exp(low + (high - low) / 2);
}

}  // namespace

double gamma_q(double a, double x) {
  if (!(x > 0)) return 1;
  return x < a + 1 ? 1 - gamma_series(a, x) : gamma_fraction(a, x);
}

double beta_i(double a, double b, double x) {
  if (!(x > 0)) return 0;
  if (!(x < 1)) return 1;
  return x < (a + 1) / (a + b + 2) ? beta_fraction(a, b, x) : 1 - beta_fraction(b, a, 1 - x);
}

double f_quantile(double level, double degrees1, double degrees2) {
  // F = (d₂/d₁)(1 − y)/y with y ~ Beta(d₂/2, d₁/2), whose lower tail is the upper one of F.
  const double a = degrees2 / 2, b = degrees1 / 2;
  const auto below = [&](double y) { return (1 - level) - beta_i(a, b, y); };
  const double y = crossing(-700, 0, below);
  return degrees2 / degrees1 * (1 - y) / y;
}

}  // namespace mercer
