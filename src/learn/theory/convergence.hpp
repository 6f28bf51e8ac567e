#pragma once
// When a run counts as converged, for any learner.

#include "learn/theory/certify.hpp"

#include <mercer/hebbian.hpp>

namespace mercer {

/// The bound on the angle, and on the rotation between two checks, up to which a run converged, in
/// degrees; and up to which turn it does not move.
constexpr double converged_degrees = 2, still_degrees = 0.7;

/// What a run that has not converged needs, for rules that neither rows nor rates help; null for
/// the others.
const char* own_remedy(const LearnerOptions& options);

/// State and text that follow from the numbers; `compared`: there was a check before; `remedy`: of
/// the rule, or null.
void settle(Convergence& c, bool compared, const char* remedy = nullptr);

/// Sets what follows from the rest; `compared`: there was a check before; `verdict`: empty when
/// nothing is known.
void judge(Convergence& c, bool compared, const Verdict& verdict, const char* remedy = nullptr);

/// |correlation| of the two outputs that have most of it.
double largest_correlation(const Matrix<double>& covariance);

}  // namespace mercer
