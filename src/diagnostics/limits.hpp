#pragma once
// Limits of T² and SPE from the statistics of the training rows in a model.

#include "diagnostics/left_out.hpp"

#include <mercer/model.hpp>
#include <mercer/score.hpp>

namespace mercer {

void require_level(double level);

/// Rows that carry a level: of a fit whose rows are Gaussian, of a fit whose own rows give the
/// limit, and of good rows that were not in the fit.
Index rows_for_gaussian_limits(double level, Index components);
Index rows_for_left_out_limits(double level);
Index rows_for_good_limits(double level);

/// The largest level, in tenths of a percent, that so many rows carry; 0: none.
double level_of_gaussian_limits(Index rows, Index components);
double level_of_left_out_limits(Index rows);
double level_of_good_limits(Index rows);

/// Of linear models whose rows are Gaussian. `directions` is how many there are in all; `scaled`:
/// of z-scores.
ScoreLimits gaussian_limits(const Report& report, const Vector<double>& variance, Index directions,
                            bool scaled, double level, const RunOptions& how);

/// Quantiles of the statistics of rows of the fit, each as if it had been left out, times
/// `factors`.
ScoreLimits left_out_limits(const LeftOutScores& rows, const LimitFactors& factors, double level);

/// No limits, for this reason.
ScoreLimits no_limits(double level, const std::string& reason);

}  // namespace mercer
