#pragma once
/// \file
/// `Rate`: a learning-rate schedule η₁, η₂, … as a value with a text form.
///
///     auto rate = mercer::Rate::parse("power(c=1, t0=100, a=0.75)");
///     rate.text();                          // "power(c=1,t0=100,a=0.75)"
///     rate.conditions().every();            // is it a Robbins–Monro schedule?
///     mercer::RateRun run(rate);            // and its state in one run
///     double eta = run.next({.square = 3.2, .output = 1.1});
///
/// With row weights n is the weight of the steps so far: a row of weight 3 is like three of them.
///
/// | text | η of step n |
/// |---|---|
/// | `auto` | from the scale of the rows themselves; no tuning |
/// | `1/n` | 1/n |
/// | `constant(c)` | c |
/// | `power(c,t0,a)` | c/(n + t0)^a |
/// | `adaoja(b)` | 1/√(b² + Σ‖yx‖²) (Henriksen & Ward 2019) |
///
/// A new schedule is one new file and one row in the table of src/learn/rates/rate_table.cpp.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mercer {

/// What convergence theory asks of a schedule, and why it holds or does not.
struct RobbinsMonro {
  struct Condition {
    std::string text;  ///< "η → 0", "Ση = ∞", "Ση^p < ∞ for some p > 1"
    bool holds = false;
    std::string why;  ///< in one sentence
  };
  std::vector<Condition> conditions;
  bool every() const;  ///< all of them hold
};

/// What a step knows before it is taken; averages over the rows of a mini-batch.
struct StepFacts {
  double square = 0;   ///< ‖x − m‖²
  double output = 0;   ///< Σ y_j², of all components
  double longest = 0;  ///< of `gradient`, the neuron that has most: its ‖y_j x‖²
  double gradient = 0;  ///< squared length of the Hebbian term: ‖yx‖², of a mini-batch ‖mean yx‖²
  std::int64_t rows = 1;
  double weight = 1;  ///< of a row, in the mean; above 0. The step will be η times this
};

class RateRule;  ///< one schedule: src/learn/rates/rate_rule.hpp

class Rate {
 public:
  Rate();                                    ///< auto
  static Rate parse(std::string_view text);  ///< `Errc::bad_option` with the place and the reason
  static Rate automatic();                   ///< no tuning: from the data's own scale
  static Rate harmonic();                    ///< 1/n
  static Rate constant(double eta);
  /// c/(n + t0)^a
  static Rate power(double c, double t0, double a);
  /// AdaOja: 1/√(b² + Σ‖yx‖²), for comparison
  static Rate adaoja(double b = 1e-5);

  std::string text() const;  ///< parses back to the same rate
  RobbinsMonro conditions() const;
  const RateRule& rule() const { return *rule_; }

  explicit Rate(std::shared_ptr<const RateRule> rule) : rule_(std::move(rule)) {}

 private:
  std::shared_ptr<const RateRule> rule_;
};

/// What a list of rates shows of one: text form, formula, remark, and an example.
struct RateEntry {
  std::string text, formula, notes, example;
};
std::span<const RateEntry> rate_table();

/// A schedule at work: counts steps, and remembers what the adaptive ones need.
class RateRun {
 public:
  explicit RateRun(Rate rate);
  double next(const StepFacts& facts);  ///< η of the coming step

  /// Everything it remembers, for a checkpoint.
  std::vector<double> state() const { return state_; }
  /// `Errc::bad_option` when that is not the state of such a rate.
  void restore(const std::vector<double>& state);

 private:
  Rate rate_;
  std::vector<double> state_;  // steps taken, by weight, then what the rule remembers
};

}  // namespace mercer
