// Henriksen & Ward 2019, arXiv:1905.12115.
#include "learn/rates/rate_rule.hpp"

#include <cmath>

namespace mercer {

namespace {

constexpr TextParameter adaoja_parameters[] = {{"b", domains::positive, 1e-5}};

class AdaOja final : public RateRule {
 public:
  explicit AdaOja(double b) : b_(b) {}
  RobbinsMonro conditions() const override {
    return {{
        {"η → 0", true, "the sum of squared steps diverges, unless all rows become equal"},
        {"Ση = ∞", true, "for bounded rows it never falls faster than 1/√n"},
        {"Ση^p < ∞ for some p > 1", true,
         "with p = 3 as long as the outputs keep varying; Ση², which most proofs require, is "
         "infinite"},
    }};
  }
  std::size_t memory() const override { return 1; }
  double eta(double, const StepFacts& facts, std::span<double> memory) const override {
    memory[0] += facts.weight * facts.gradient;
    return 1 / std::sqrt(b_ * b_ + memory[0]);
  }

 private:
  double b_;
};

}  // namespace

extern const RateRow adaoja_rate = {
    .text = {"adaoja", adaoja_parameters},
    .formula = "1/sqrt(b^2 + sum |yx|^2)",
    .notes = "needs no tuning; its squares have no finite sum",
    .make = [](std::span<const double> v) -> std::shared_ptr<RateRule> {
      return std::make_shared<AdaOja>(v[0]);
    },
};

Rate Rate::adaoja(double b) { return make_rate(adaoja_rate, {{b}}); }

}  // namespace mercer
