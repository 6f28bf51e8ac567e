#include "learn/rates/rate_rule.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

/// η = rate_reach/(S·(n + rate_bend)^rate_exponent) of row n, S² being the mean of ‖yx‖² so far. On
/// data whose gaps are a few per cent of λ₁ the time Ση of some ten thousand rows is then enough to
/// find directions, and the last steps are small enough to keep them: docs/learning.md has the
/// numbers.
constexpr double rate_reach = 12, rate_bend = 200, rate_exponent = 0.8;
/// No neuron's step is longer than this: its weights have length 1.
constexpr double longest_step = 0.5;

class Auto final : public RateRule {
 public:
  RobbinsMonro conditions() const override {
    RobbinsMonro all = power_law(rate_exponent);
    for (auto& condition : all.conditions)
      condition.why += "; its scale converges with the weights and rows";
    return all;
  }
  std::size_t memory() const override { return 2; }
  double eta(double, const StepFacts& facts, std::span<double> memory) const override {
    double& rows = memory[0];
    double& square = memory[1];
    const double count = static_cast<double>(facts.rows), weight = count * facts.weight;
    rows += weight;
    square += (facts.square * facts.output - square) * weight / rows;
    if (!(square > 0)) return 0;
    // A mini-batch is as many rows at once; its noise may be larger, for the model averages it.
    const double eta = count * std::sqrt(count) * rate_reach / std::sqrt(square) *
                       std::pow(rows + rate_bend, -rate_exponent);
    return std::min(eta, longest_step / (facts.weight * std::sqrt(facts.longest)));
  }
};

}  // namespace

extern const RateRow auto_rate = {
    .text = {"auto"},
    .formula = "c/(n + 200)^0.8, c from the scale of the rows",
    .notes = "no tuning",
    .make = [](std::span<const double>) -> std::shared_ptr<RateRule> {
      return std::make_shared<Auto>();
    },
};

Rate::Rate() : Rate(automatic()) {}
Rate Rate::automatic() { return make_rate(auto_rate, {}); }

}  // namespace mercer
