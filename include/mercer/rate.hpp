#pragma once
/// \file
/// `Rate`: a learning-rate schedule η₁, η₂, … as a value with a text form.
///
///     auto rate = mercer::Rate::parse("power(c=1, t0=100, a=0.75)");
///     rate.text();                          // "power(c=1,t0=100,a=0.75)"
///     rate.conditions().every();            // is it a Robbins–Monro schedule?
///     mercer::RateRun run(rate);            // its state in one run
///     double eta = run.next({.square = 3.2, .output = 1.1});
///
/// With row weights, n is the weight of the steps so far: a row of weight 3 counts three times.
///
/// docs/learning.md lists the schedules and the conditions that they meet.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mercer {

/// Conditions of convergence theory, and whether a schedule meets them.
struct RobbinsMonro {
  struct Condition {
    std::string text;  ///< "η → 0", "Ση = ∞", "Ση^p < ∞ for some p > 1"
    bool holds = false;
    std::string why;  ///< one sentence
  };
  std::vector<Condition> conditions;
  bool every() const;  ///< all of them hold
};

/// Input of a step size; averages over the rows of a mini-batch.
struct StepFacts {
  double square = 0;   ///< ‖x − m‖²
  double output = 0;   ///< Σ y_j², of all components
  double longest = 0;  ///< the largest ‖y_j x‖² of a neuron
  double gradient = 0;  ///< squared length of the Hebbian term: ‖yx‖², of a mini-batch ‖mean yx‖²
  std::int64_t rows = 1;
  double weight = 1;  ///< mean weight of the rows, above 0; multiplies η
};

class RateRule;  ///< one schedule: src/learn/rates/rate_rule.hpp

class Rate {
 public:
  Rate();  ///< auto
  static Rate parse(
      std::string_view text);  ///< `Errc::bad_option` with the position and the reason
  static Rate automatic();     ///< from the scale of the data; no tuning
  static Rate harmonic();      ///< 1/n
  static Rate constant(double eta);
  /// c/(n + t0)^a
  static Rate power(double c, double t0, double a);
  /// AdaOja: 1/√(b² + Σ‖yx‖²), for comparison
  static Rate adaoja(double b = 1e-5);

  std::string text() const;  ///< parses back to the same rate
  RobbinsMonro conditions() const;
  /// The smallest n with η₁ + … + η_n ≥ time, for steps of weight 1: exact up to 2⁵³, beyond that
  /// rounded. ∞: the sum is smaller for every n; NaN: it depends on the rows.
  double steps(double time) const;
  const RateRule& rule() const { return *rule_; }

  explicit Rate(std::shared_ptr<const RateRule> rule) : rule_(std::move(rule)) {}

 private:
  std::shared_ptr<const RateRule> rule_;
};

/// Entry in the list of rates: text form, formula, remark, and an example.
struct RateEntry {
  std::string text, formula, notes, example;
};
std::span<const RateEntry> rate_table();

/// The state of a schedule in one run.
class RateRun {
 public:
  explicit RateRun(Rate rate);
  double next(const StepFacts& facts);  ///< η of the next step

  /// The complete state, for a checkpoint.
  std::vector<double> state() const { return state_; }
  /// Throws `Errc::bad_option` if this is not the state of such a rate.
  void restore(const std::vector<double>& state);

 private:
  Rate rate_;
  std::vector<double> state_;  // weight of the steps, then the state of the rule
};

}  // namespace mercer
