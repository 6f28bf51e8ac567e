#include "learners/rate_rule.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

/// Steps in which the scale is measured; afterwards it stays as it is.
constexpr double warm_up = 100;
/// η λ₁ at first, and the steps after which it has begun to fall.
constexpr double start = 0.02;
constexpr double bend = 2000;
constexpr double exponent = 0.75;
/// No step takes more than this share of a row off the weights: η‖x‖² stays below it.
constexpr double most = 0.5;

class Auto final : public RateRule {
 public:
  std::string text() const override { return "auto"; }
  RobbinsMonro conditions() const override { return power_law(exponent); }
  std::size_t memory() const override { return 2; }
  double eta(std::int64_t n, const StepFacts& facts, std::span<double> memory) const override {
    const double step = static_cast<double>(n);
    if (step <= warm_up) {
      memory[0] += (facts.square - memory[0]) / step;
      memory[1] += (facts.leading - memory[1]) / step;
    }
    const double scale = std::max(memory[1], 0.1 * memory[0]);
    if (!(scale > 0)) return 0;
    const double eta = start / scale * std::pow(bend / (step + bend), exponent);
    return facts.square > 0 ? std::min(eta, most / facts.square) : eta;
  }
};

}  // namespace

extern const RateRow auto_rate = {
    .name = "auto",
    .formula = "c/(n + t0)^0.75, c from the rows' own scale",
    .notes = "no tuning",
    .parameters = {},
    .make = [](std::span<const double>) -> std::shared_ptr<const RateRule> {
      return std::make_shared<Auto>();
    },
};

Rate::Rate() : Rate(automatic()) {}
Rate Rate::automatic() { return make_rate(auto_rate, {}); }

}  // namespace mercer
