#pragma once
// One schedule, as the table of rate_table.cpp has it.

#include "core/text_form.hpp"

#include <mercer/rate.hpp>

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace mercer {

struct RateRow;

class RateRule {
 public:
  virtual ~RateRule() = default;
  /// As the row of the table writes it.
  const std::string& text() const { return text_; }
  virtual RobbinsMonro conditions() const = 0;

  /// The smallest n with η₁ + … + η_n ≥ time for steps of this weight; ∞: there is none; NaN: it
  /// depends on the rows.
  virtual double steps(double /*time*/, double /*weight*/) const {
    return std::numeric_limits<double>::quiet_NaN();
  }

  /// Numbers it keeps from step to step; all 0 at first.
  virtual std::size_t memory() const { return 0; }
  /// η of step n = 1, 2, …, by weight: a step takes η times its weight, as if it came that often.
  virtual double eta(double n, const StepFacts& facts, std::span<double> memory) const = 0;

 private:
  friend Rate make_rate(const RateRow& row, std::span<const double> values);
  std::string text_;
};

struct RateRow {
  TextForm text;
  std::string_view formula, notes;
  std::shared_ptr<RateRule> (*make)(std::span<const double> values);
};

std::span<const RateRow* const> rate_rows();

/// A row with numbers; refuses values outside their range.
Rate make_rate(const RateRow& row, std::span<const double> values);

/// The three conditions of a schedule that falls like n^−a.
RobbinsMonro power_law(double a);

/// `RateRule::steps` of c/(n + t0)^a; up to 2⁵³ an integer, beyond that rounded.
double power_steps(double c, double t0, double a, double time);

}  // namespace mercer
