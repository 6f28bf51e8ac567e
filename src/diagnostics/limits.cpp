#include "diagnostics/limits.hpp"

#include "core/require.hpp"
#include "diagnostics/quantiles.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

/// The order statistic that a further row of the same distribution exceeds with probability
/// 1 − level or less.
double quantile(Vector<double> values, double level) {
  const Index n = values.size();
  const auto rank = static_cast<Index>(std::ceil(level * static_cast<double>(n + 1)));
  const Index at = std::clamp<Index>(rank, 1, n) - 1;
  std::nth_element(values.data(), values.data() + at, values.data() + n);
  return values[at];
}

void t2_limit(const Report& r, double k, ScoreLimits& limits) {
  const auto n = static_cast<double>(r.n_samples);
  const double free = n - k + (r.centered ? 0 : 1);
  if (!(free >= 1)) {
    limits.t2_from = "as many components as rows";
    return;
  }
  // Of the covariance over N − 1 about the mean, or over N about 0.
  const double factor = r.centered ? (n * n - 1) / n : n;
  const double ddof = (r.weight - r.ddof) / (r.weight - (r.centered ? 1 : 0));
  limits.t2 = ddof * k * factor / free * f_quantile(limits.level, k, free);
  limits.t2_from = fmt::format("F({:g}, {:g}): Gaussian scores", k, free);
  if (!std::isfinite(*limits.t2)) limits.t2.reset();
}

void spe_limit(const Report& r, const Vector<double>& variance, double directions,
               ScoreLimits& limits) {
  const auto k = static_cast<double>(variance.size()), n = static_cast<double>(r.n_samples);
  const double left = r.total_variance - variance.sum();
  if (directions <= k || !(left > 1e-12 * r.total_variance)) {
    limits.spe_from = "the model keeps all variance";
    return;
  }
  if (!(r.total_squares > 0)) {
    limits.spe_from = "the model does not tell how variance is left out";
    return;
  }
  const double free = n - k - (r.centered ? 1 : 0);
  if (!(free >= 3)) {
    limits.spe_from = "almost as many components as rows";
    return;
  }
  // Σλ² of the directions left out; N rows make it larger by (Σλ)²/N.
  const double most = left * std::min(left, variance[variance.size() - 1]);
  double squares = r.total_squares - variance.squaredNorm();
  if (squares < 1e-13 * r.total_squares) squares = most;  // a difference of equal numbers
  squares = std::min(squares, most);
  squares = free * free / ((free - 1) * (free + 2)) * (squares - left * left / free);
  squares = std::max(squares, left * left / (directions - k));
  // The components fit their own rows better than others: as if each row had been left out, with
  // the mean leverage.
  const double leverage = (k + (r.centered ? 1 : 0)) / n;
  const double unseen = (r.weight - r.ddof) / r.weight / std::pow(1 - leverage, 2);
  const double degrees = left * left / squares;
  limits.spe = unseen * squares / left * chi2_quantile(limits.level, degrees);
  limits.spe_from = fmt::format("Box's chi-squared with {:.3g} degrees of freedom", degrees);
  if (!std::isfinite(*limits.spe)) limits.spe.reset();
}

}  // namespace

void require_level(double level) {
  require(level > 0 && level < 1, Errc::bad_option, "level = {} is not between 0 and 1", level);
}

ScoreLimits gaussian_limits(const Report& report, const Vector<double>& variance, Index directions,
                            double level) {
  ScoreLimits limits{.level = level};
  const auto counted = static_cast<double>((variance.array() > 0).count());
  if (counted > 0) t2_limit(report, counted, limits);
  spe_limit(report, variance, static_cast<double>(directions), limits);
  return limits;
}

ScoreLimits left_out_limits(const Report& r, const RowScores& training, double level) {
  const double mean_share = r.centered ? 1 / static_cast<double>(r.n_samples) : 0;
  Vector<double> spe = training.spe;
  for (Index i = 0; i < spe.size(); ++i) {
    const double rest = std::max(1 - mean_share - training.t2[i] / (r.weight - r.ddof), 1e-9);
    // A row that has a direction of its own leaves nothing, and would leave itself.
    spe[i] = std::min(spe[i] / (rest * rest), training.size[i]);
  }
  ScoreLimits limits{.level = level};
  // Scores of other rows spread less than those of the fit, about as much as leaving out adds.
  limits.t2 = quantile(training.t2, level);
  limits.spe = quantile(std::move(spe), level);
  limits.t2_from = fmt::format("quantile of {} training rows", training.t2.size());
  limits.spe_from = limits.t2_from + ", each left out";
  return limits;
}

ScoreLimits limits_of(const RowScores& good, double level) {
  require_level(level);
  require(good.t2.size() > 0, Errc::bad_data, "limits need at least one row");
  ScoreLimits limits{.level = level};
  limits.t2 = quantile(good.t2, level);
  limits.t2_from = fmt::format("quantile of {} rows", good.t2.size());
  if (good.spe.size() > 0) {
    limits.spe = quantile(good.spe, level);
    limits.spe_from = limits.t2_from;
  }
  return limits;
}

std::vector<Flag> flagged(const RowScores& rows, const ScoreLimits& limits) {
  std::vector<Flag> out;
  out.reserve(static_cast<std::size_t>(rows.t2.size()));
  for (Index i = 0; i < rows.t2.size(); ++i) {
    const bool t2 = limits.t2 && rows.t2[i] > *limits.t2;
    const bool spe = limits.spe && rows.spe.size() > 0 && rows.spe[i] > *limits.spe;
    out.push_back(static_cast<Flag>((t2 ? 1 : 0) + (spe ? 2 : 0)));
  }
  return out;
}

}  // namespace mercer
