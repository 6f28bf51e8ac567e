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
/// A new schedule is one new file and one row in the table that `Rate::parse` reads.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
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
  double square = 0;    ///< ‖x − m‖²
  double output = 0;    ///< Σ y_j², of all components
  double gradient = 0;  ///< squared length of the rule's step for η = 1
  std::int64_t rows = 1;
};

class RateRule;  ///< one schedule: src/learners/rates/row.hpp

class Rate {
 public:
  Rate();                                     ///< auto
  static Rate parse(std::string_view text);   ///< `Errc::bad_option` with the place and the reason
  static Rate automatic();                    ///< no tuning: from the data's own scale
  static Rate harmonic();                     ///< 1/n
  static Rate constant(double eta);
  /// c/(n + t0)^a
  static Rate power(double c, double t0, double a);

  std::string text() const;                   ///< parses back to the same rate
  RobbinsMonro conditions() const;
  const RateRule& rule() const { return *rule_; }

 private:
  explicit Rate(std::shared_ptr<const RateRule> rule) : rule_(std::move(rule)) {}
  std::shared_ptr<const RateRule> rule_;
};

/// A schedule at work: counts steps, and remembers what the adaptive ones need.
class RateRun {
 public:
  explicit RateRun(Rate rate);
  double next(const StepFacts& facts);        ///< η of the coming step

  /// Everything it remembers, for a checkpoint.
  std::vector<double> state() const;
  void restore(const std::vector<double>& state);

 private:
  Rate rate_;
  std::vector<double> state_;
};

}  // namespace mercer
