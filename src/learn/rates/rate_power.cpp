#include "learn/rates/rate_rule.hpp"

#include <fmt/format.h>

#include <cmath>

namespace mercer {

namespace {

constexpr RateParameter power_parameters[] = {
    {"c", no_standard, 0, false}, {"t0", 0, 0, true}, {"a", 1, 0, true}};

class Power final : public RateRule {
 public:
  Power(double c, double t0, double a) : c_(c), t0_(t0), a_(a) {}
  std::string text() const override { return fmt::format("power(c={},t0={},a={})", c_, t0_, a_); }
  RobbinsMonro conditions() const override { return power_law(a_); }
  double eta(double n, const StepFacts&, std::span<double>) const override {
    return c_ * std::pow(n + t0_, -a_);
  }

 private:
  double c_, t0_, a_;
};

}  // namespace

extern const RateRow power_rate = {
    .name = "power",
    .formula = "c/(n + t0)^a",
    .notes = "Robbins-Monro for 0 < a <= 1; c is in units of 1/variance",
    .parameters = power_parameters,
    .make = [](std::span<const double> v) -> std::shared_ptr<const RateRule> {
      return std::make_shared<Power>(v[0], v[1], v[2]);
    },
};

Rate Rate::power(double c, double t0, double a) {
  const double values[] = {c, t0, a};
  return make_rate(power_rate, values);
}

}  // namespace mercer
