#pragma once
/// \file
/// The six conditions of the asymptotic stability theorem, for one rule, rate, data set and run;
/// and the number of steps that its ODE predicts.
///
///     mercer::LearnOptions options{.learner = {.rule = "oja", .rate = mercer::Rate::harmonic()}};
///     mercer::Theorem report = mercer::theorem(rows, options);
///     for (const auto& c : report.conditions) use(c.number, name_of(c.finding), c.evidence);
///     report.prediction.steps;              // until 1 degree from the first component
///
/// The theorem (Ljung 1977, Kushner & Clark 1978): w(n+1) = w(n) + η(n) h(w(n), x(n)) converges
/// with probability 1 to a stable point q of dw/dt = h̄(w), h̄(w) = lim E[h(w, x)], if
///
///     1  η(n) > 0 decreases to 0, Ση = ∞ and Ση^p < ∞ for some p > 1
///     2  w(n) is bounded with probability 1
///     3  h is continuously differentiable, with bounded derivatives
///     4  h̄(w) exists for each w
///     5  the ODE has a locally asymptotically stable solution q
///     6  w(n) is infinitely often in a compact part A of the basin of attraction of q
///
/// With R = Σ λ_k q_k q_kᵀ the Jacobian of Oja's ODE at ±q₁ has the eigenvalues −2λ₁ and λ_k − λ₁.
/// θ_k/θ₁ falls as e^{−t/τ_k} with the time constants τ_k = 1/(λ₁ − λ_k) and t = Ση.
///
/// Costs a fit before the run (N·D² + D³), one more pass (N·D), and O(k·D) for each step.

#include <mercer/matrix.hpp>
#include <mercer/rows.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

template <class T>
class Source;
struct LearnOptions;

/// How a condition is known.
enum class Finding {
  proved,    ///< from the rule, the rate and the rows
  measured,  ///< it held throughout this run
  assumed,   ///< neither proved nor contradicted by the run
  violated,
};
std::string_view name_of(Finding finding);  ///< "proved", "measured", "assumed", "violated"

struct TheoremCondition {
  int number = 0;         ///< 1 to 6
  std::string name;       ///< "rate", "bounded weights", …
  std::string statement;  ///< the condition
  Finding finding = Finding::assumed;
  std::string evidence;  ///< one sentence or two, with numbers
};

/// How many steps the ODE takes from the first weights to an angle.
struct StepPrediction {
  double angle = 1;        ///< target: of every weight vector to its component, degrees
  double start_angle = 0;  ///< the largest one at the start
  double time = 0;         ///< t = Ση that the ODE takes; ∞: never; NaN: unknown
  double steps = 0;        ///< n with η₁ + … + η_n ≥ time; ∞: never; NaN: unknown
  std::string rate;
  std::string why;          ///< where time or steps are infinite or unknown: the reason
  std::string better_rate;  ///< a rate that takes fewer steps; empty: none is proposed
  double better_steps = 0;  ///< of that one
};

struct Theorem {
  std::string rule, rate;
  std::vector<TheoremCondition> conditions;  ///< six
  Vector<double> eigenvalues;     ///< λ of R, the second moment about the mean (divisor N)
  Vector<double> jacobian;        ///< eigenvalues of the Jacobian at the stable point, descending
  Vector<double> time_constants;  ///< 1/(λ₁ − λ_k), k = 2, 3, …; ∞ where they are equal
  double gap = 0;                 ///< smallest λ_j − λ_{j+1} of the components learned
  Index multiplicity = 1;         ///< of λ₁
  StepPrediction prediction;
  std::int64_t steps = 0;    ///< of the run
  std::int64_t reached = 0;  ///< its first step at the angle of the prediction; 0: none
  double angle = 0;          ///< largest angle to a component at its end, degrees
  std::string conclusion;    ///< one sentence
  bool holds() const;        ///< no condition is violated
};

/// The report of `learn` with these options. Throws `Errc::bad_option` for rules without an ODE,
/// and what `learn` throws. A run that diverges has a report as well.
Theorem theorem(Source<double>& source, const LearnOptions& options);
Theorem theorem(const Rows<double>& rows, const LearnOptions& options);

}  // namespace mercer
