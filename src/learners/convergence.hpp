#pragma once
// When a run counts as converged, whatever its learner.

#include <mercer/hebbian.hpp>

namespace mercer {

/// Fills in `converged` and `text`; `compared`: there was a look before.
void judge(Convergence& c, bool compared);

/// |correlation| of the two outputs that have most of it.
double largest_correlation(const Matrix<double>& covariance);

}  // namespace mercer
