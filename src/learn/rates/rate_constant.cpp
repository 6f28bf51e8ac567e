#include "learn/rates/rate_rule.hpp"

#include <fmt/format.h>

namespace mercer {

namespace {

constexpr RateParameter constant_parameters[] = {{"c", no_standard, 0, false}};

class Constant final : public RateRule {
 public:
  explicit Constant(double c) : c_(c) {}
  std::string text() const override { return fmt::format("constant(c={})", c_); }
  RobbinsMonro conditions() const override { return power_law(0); }
  double eta(double, const StepFacts&, std::span<double>) const override { return c_; }

 private:
  double c_;
};

}  // namespace

extern const RateRow constant_rate = {
    .name = "constant",
    .formula = "c",
    .notes = "follows a stream that drifts; stays noisy to the order of √c",
    .parameters = constant_parameters,
    .make = [](std::span<const double> v) -> std::shared_ptr<const RateRule> {
      return std::make_shared<Constant>(v[0]);
    },
};

Rate Rate::constant(double eta) { return make_rate(constant_rate, {{eta}}); }

}  // namespace mercer
