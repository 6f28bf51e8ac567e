#pragma once
// The six conditions of the stability theorem from what is known of rule, rate, rows and run.

#include "learn/rules/rule.hpp"
#include "learn/theory/mean_field.hpp"
#include "learn/theory/stability.hpp"

#include <mercer/learn.hpp>
#include <mercer/theorem.hpp>

#include <string>

namespace mercer {

/// Throws `Errc::bad_option` for rules without an ODE, with the names of the others.
void require_ode(const RuleRow& rule);

struct TheoremInput {
  const LearnOptions& options;
  const RuleRow& rule;
  const Vector<double>& lambda;   ///< descending
  const Matrix<double>& vectors;  ///< rows
  const Matrix<double>& start;    ///< first weights
  const MeanField& field;
  const Stability& run;
  const StepPrediction& prediction;
  Index rows = 0;
  bool shuffled = false;
  bool weighted = false;
  bool diverged = false;
};

Theorem stability_theorem(const TheoremInput& in);

}  // namespace mercer
