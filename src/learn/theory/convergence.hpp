#pragma once
// When a run counts as converged, whatever its learner.

#include "learn/theory/certify.hpp"

#include <mercer/hebbian.hpp>

namespace mercer {

/// Up to which bound on the angle, and which turn between two looks, a run has converged, in
/// degrees; and up to which turn it does not move.
constexpr double converged_degrees = 2, still_degrees = 0.7;

/// State and sentence that follow from the numbers; `compared`: there was a look before.
void settle(Convergence& c, bool compared);

/// Fills in what follows from the rest; `compared`: there was a look before; `verdict`: empty when
/// nothing is known.
void judge(Convergence& c, bool compared, const Verdict& verdict);

/// |correlation| of the two outputs that have most of it.
double largest_correlation(const Matrix<double>& covariance);

}  // namespace mercer
