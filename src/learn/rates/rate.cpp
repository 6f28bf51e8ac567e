#include "learn/rates/rate_rule.hpp"

#include "core/require.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

bool RobbinsMonro::every() const {
  return std::all_of(conditions.begin(), conditions.end(),
                     [](const Condition& c) { return c.holds; });
}

Rate make_rate(const RateRow& row, std::span<const double> values) {
  require_values(row.text, values);
  const std::shared_ptr<RateRule> rule = row.make(values);
  rule->text_ = text_of_form(row.text, values, ",");
  return Rate(rule);
}

RobbinsMonro power_law(double a) {
  // Σ n^−a is finite exactly for a > 1.
  const std::string order = a == 1 ? "1/n" : fmt::format("n^-{}", a);
  RobbinsMonro all;
  all.conditions.push_back(
      {"η → 0", a > 0, a > 0 ? "it falls like " + order : "it does not decrease"});
  all.conditions.push_back(
      {"Ση = ∞", a <= 1,
       a <= 1
           ? fmt::format("the sum of {} diverges", a > 0 ? order : "equal steps")
           : fmt::format("the sum of {} is finite: learning may stop before it converges", order)});
  std::string why = "every step counts the same, so noise never averages out";
  if (a > 0.5) {
    why = fmt::format("Ση² is finite: 2·{} > 1", a);
  } else if (a > 0) {
    const double p = std::floor(1 / a) + 1;
    why = fmt::format("with p = {}: {}·{} > 1, though Ση², which most proofs require, is infinite",
                      p, p, a);
  }
  all.conditions.push_back({"Ση^p < ∞ for some p > 1", a > 0, why});
  return all;
}

std::string Rate::text() const { return rule_->text(); }
RobbinsMonro Rate::conditions() const { return rule_->conditions(); }

RateRun::RateRun(Rate rate) : rate_(std::move(rate)), state_(1 + rate_.rule().memory()) {}

double RateRun::next(const StepFacts& facts) {
  state_[0] += facts.weight;
  return rate_.rule().eta(state_[0], facts, std::span(state_).subspan(1));
}

void RateRun::restore(const std::vector<double>& state) {
  require(state.size() == state_.size() && state[0] >= 0, Errc::bad_option,
          "{} numbers are not the state of a rate {}", state.size(), rate_.text());
  state_ = state;
}

}  // namespace mercer
