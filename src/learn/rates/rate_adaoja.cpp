// Henriksen & Ward 2019, arXiv:1905.12115.
#include "learn/rates/rate_rule.hpp"

#include <fmt/format.h>

#include <cmath>

namespace mercer {

namespace {

constexpr RateParameter adaoja_parameters[] = {{"b", 1e-5, 0, false}};

class AdaOja final : public RateRule {
 public:
  explicit AdaOja(double b) : b_(b) {}
  std::string text() const override { return fmt::format("adaoja(b={})", b_); }
  RobbinsMonro conditions() const override {
    return {{
        {"η → 0", true, "squared steps add up without bound, unless all rows end up alike"},
        {"Ση = ∞", true, "for bounded rows it never falls faster than 1/√n"},
        {"Ση^p < ∞ for some p > 1", true,
         "with p = 3 as long as the outputs keep varying; Ση², which most proofs ask for, is "
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
    .name = "adaoja",
    .formula = "1/sqrt(b^2 + sum |yx|^2)",
    .notes = "needs no tuning; its squares have no finite sum",
    .parameters = adaoja_parameters,
    .make = [](std::span<const double> v) -> std::shared_ptr<const RateRule> {
      return std::make_shared<AdaOja>(v[0]);
    },
};

Rate Rate::adaoja(double b) { return make_rate(adaoja_rate, {{b}}); }

}  // namespace mercer
