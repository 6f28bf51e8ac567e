#include "learn/rates/rate_rule.hpp"

#include <cmath>

namespace mercer {

namespace {

constexpr TextParameter power_parameters[] = {
    {.name = "c", .domain = domains::positive, .required = true},
    {"t0", domains::not_negative, 0},
    {"a", domains::not_negative, 1}};

class Power final : public RateRule {
 public:
  Power(double c, double t0, double a) : c_(c), t0_(t0), a_(a) {}
  RobbinsMonro conditions() const override { return power_law(a_); }
  // Step i of weight ω takes ωc/(iω + t0)^a.
  double steps(double time, double weight) const override {
    return power_steps(c_ * std::pow(weight, 1 - a_), t0_ / weight, a_, time);
  }
  double eta(double n, const StepFacts&, std::span<double>) const override {
    return c_ * std::pow(n + t0_, -a_);
  }

 private:
  double c_, t0_, a_;
};

}  // namespace

extern const RateRow power_rate = {
    .text = {"power", power_parameters, "power(c=1,t0=100,a=0.75)"},
    .formula = "c/(n + t0)^a",
    .notes = "Robbins-Monro for 0 < a <= 1; c is in units of 1/variance",
    .make = [](std::span<const double> v) -> std::shared_ptr<RateRule> {
      return std::make_shared<Power>(v[0], v[1], v[2]);
    },
};

Rate Rate::power(double c, double t0, double a) {
  const double values[] = {c, t0, a};
  return make_rate(power_rate, values);
}

}  // namespace mercer
