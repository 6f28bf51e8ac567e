#pragma once
// Limits of T² and SPE from what a model tells of its training rows.

#include <mercer/model.hpp>
#include <mercer/score.hpp>

namespace mercer {

void require_level(double level);

/// Of Gaussian scores and of residuals that are a sum of Gaussian directions. `directions` is how
/// many there are in all.
ScoreLimits gaussian_limits(const Report& report, const Vector<double>& variance, Index directions,
                            double level);

/// Quantiles of the statistics of training rows; of SPE as if each row had been left out.
ScoreLimits left_out_limits(const Report& report, const RowScores& training, double level);

}  // namespace mercer
