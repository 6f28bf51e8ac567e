#include "learn/rates/rate_rule.hpp"

#include <cmath>

namespace mercer {

namespace {

constexpr TextParameter constant_parameters[] = {
    {.name = "c", .domain = domains::positive, .required = true}};

class Constant final : public RateRule {
 public:
  explicit Constant(double c) : c_(c) {}
  RobbinsMonro conditions() const override { return power_law(0); }
  double steps(double time, double weight) const override {
    return time <= 0 ? 0 : std::ceil(time / (c_ * weight));
  }
  double eta(double, const StepFacts&, std::span<double>) const override { return c_; }

 private:
  double c_;
};

}  // namespace

extern const RateRow constant_rate = {
    .text = {"constant", constant_parameters, "constant(0.01)"},
    .formula = "c",
    .notes = "follows a stream that drifts; stays noisy to the order of √c",
    .make = [](std::span<const double> v) -> std::shared_ptr<RateRule> {
      return std::make_shared<Constant>(v[0]);
    },
};

Rate Rate::constant(double eta) { return make_rate(constant_rate, {{eta}}); }

}  // namespace mercer
