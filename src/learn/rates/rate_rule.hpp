#pragma once
// One schedule, as the table of rate_parse.cpp knows it.

#include <mercer/rate.hpp>

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace mercer {

class RateRule {
 public:
  virtual ~RateRule() = default;
  virtual std::string text() const = 0;
  virtual RobbinsMonro conditions() const = 0;

  /// Numbers it keeps from step to step; all 0 at first.
  virtual std::size_t memory() const { return 0; }
  /// η of step n = 1, 2, …, by weight: a step takes η times its weight, as if it came that often.
  virtual double eta(double n, const StepFacts& facts, std::span<double> memory) const = 0;
};

struct RateParameter {
  std::string_view name;
  double standard;  ///< NaN: has to be given
  double least;     ///< and whether it may be that itself
  bool least_allowed;
};

struct RateRow {
  std::string_view name, formula, notes;
  std::span<const RateParameter> parameters;
  std::shared_ptr<const RateRule> (*make)(std::span<const double> values);
};

std::span<const RateRow* const> rate_rows();

constexpr double no_standard = std::numeric_limits<double>::quiet_NaN();

/// What is wrong with a value: "must be greater than 0"; empty when nothing is.
std::string rate_problem(const RateParameter& parameter, double value);

/// A row with numbers; refuses values outside their range.
Rate make_rate(const RateRow& row, std::span<const double> values);

/// The three conditions of a schedule that falls like n^−a.
RobbinsMonro power_law(double a);

}  // namespace mercer
