// How many steps of a schedule add up to a time.
#include "learn/rates/rate_rule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

/// Terms that are added one by one; beyond them Euler and Maclaurin's formula is exact to rounding:
/// its next term is c·a(a+1)(a+2)·4096^(−a−3)/720.
constexpr int added_terms = 4096;
constexpr double most_steps_known = 1e300;

}  // namespace

double power_steps(double c, double t0, double a, double time) {
  constexpr double never = std::numeric_limits<double>::infinity();
  if (!(time > 0)) return time <= 0 ? 0 : time;
  if (std::isinf(time)) return never;
  const auto rate = [&](long double n) {
    return static_cast<long double>(c) * std::pow(n + t0, -static_cast<long double>(a));
  };
  const auto slope = [&](long double n) { return -a * rate(n) / (n + t0); };
  long double sum = 0;
  for (int n = 1; n <= added_terms; ++n) {
    sum += rate(n);
    if (sum >= time) return n;
  }
  const long double first = added_terms, rest = 1 - static_cast<long double>(a);
  const long double begin = first + t0;
  const auto upto = [&](long double n) {
    const long double l = std::log((n + t0) / begin);
    const long double integral =
        rest == 0 ? c * l : c * std::pow(begin, rest) * std::expm1(rest * l) / rest;
    return sum + integral + (rate(n) - rate(first)) / 2 + (slope(n) - slope(first)) / 12;
  };
  if (!(upto(most_steps_known) >= time)) return never;
  long double low = first, high = most_steps_known;
  for (int i = 0; i < 200 && high > low * (1 + 1e-18L); ++i) {
    // Between numbers of the same size, the middle; across orders of magnitude, that of logarithms.
    const long double middle = high > 4 * low ? std::sqrt(low) * std::sqrt(high) : (low + high) / 2;
    if (middle <= low || middle >= high) break;
    (upto(middle) >= time ? high : low) = middle;
  }
  return static_cast<double>(high < 0x1p53L ? std::ceil(high - 1e-9L * (high < 1e9L)) : high);
}

double Rate::steps(double time) const { return rule_->steps(time, 1); }

}  // namespace mercer
