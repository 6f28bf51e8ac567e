#include "learn/rates/rate_rule.hpp"

namespace mercer {

namespace {

class Harmonic final : public RateRule {
 public:
  RobbinsMonro conditions() const override { return power_law(1); }
  // Step i of weight ω takes ω/(iω).
  double steps(double time, double) const override { return power_steps(1, 0, 1, time); }
  double eta(double n, const StepFacts&, std::span<double>) const override { return 1 / n; }
};

}  // namespace

extern const RateRow harmonic_rate = {
    .text = {"1/n"},
    .formula = "1/n",
    .notes = "the textbook schedule; slow where gaps between eigenvalues are below 1/2",
    .make = [](std::span<const double>) -> std::shared_ptr<RateRule> {
      return std::make_shared<Harmonic>();
    },
};

Rate Rate::harmonic() { return make_rate(harmonic_rate, {}); }

}  // namespace mercer
