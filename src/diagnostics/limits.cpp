#include "diagnostics/limits.hpp"

#include "core/require.hpp"
#include "diagnostics/gaussian_limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

/// As `level_rank` does.
Index ceiling(double x) { return static_cast<Index>(std::ceil(x - 1e-9 * std::abs(x))); }

/// The order statistic that a further row of the same distribution exceeds with probability
/// 1 − level or less; there must be enough values.
double quantile(Vector<double> values, double level) {
  const Index n = values.size(), rank = level_rank(level, n);
  std::nth_element(values.data(), values.data() + rank - 1, values.data() + n);
  return values[rank - 1];
}

/// The largest level of tenths of a percent for which so many rows are enough; 0: none.
template <class Needed>
double carried_level(Index rows, const Needed& needed) {
  int low = 0, high = 1000;  // in tenths; the number needed grows with the level
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (needed(middle / 1000.0) <= rows ? low : high) = middle;
  }
  return low / 1000.0;
}

std::string too_few(double level, Index needed, Index rows, const char* what) {
  return fmt::format("{:g} % needs {} {}, there are {}", 100 * level, needed, what, rows);
}

/// Bound on the rounding of Σλ over all directions minus those of the components: of the sums, and
/// of the eigenvalues by their certificate, or by their residuals where there is none.
double rounding_of_left(const Report& r, const Vector<double>& variance, double directions) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  double bound = (directions + static_cast<double>(variance.size()) + 8) * epsilon *
                 std::abs(r.total_variance);
  const double weight = r.weight - r.ddof;
  if (r.certificate.low.size() == static_cast<std::size_t>(variance.size()) &&
      r.certificate.confidence == 1) {
    for (std::size_t j = 0; j < r.certificate.low.size(); ++j)
      bound += (r.certificate.high[j] - r.certificate.low[j]) / 2 / weight;
    return bound;
  }
  for (const double residual : r.solver.residuals) bound += residual * variance[0];
  return bound;
}

/// What the components leave out, or why that is not known.
struct LeftOver {
  double variance = 0, squares = 0;
  std::string reason{};
};
LeftOver left_over(const Report& r, const Vector<double>& variance, Index directions) {
  LeftOver out;
  const auto others = static_cast<double>(directions - variance.size());
  const double left = r.total_variance - variance.sum();
  const double rounding = rounding_of_left(r, variance, static_cast<double>(directions));
  require(left >= -rounding || r.merged.models > 0, Errc::bad_data,
          "the components have {:g} more variance than the rows, {:g}, beyond rounding ({:g}): "
          "the model is damaged; fit it again",
          -left, r.total_variance, rounding);
  if (!(others > 0)) {
    out.reason = "the model keeps all variance";
    return out;
  }
  if (left <= 20 * rounding) {
    out.reason = fmt::format(
        "the discarded variance, {:.2g} of the total, cannot be distinguished from rounding",
        std::abs(left) / r.total_variance);
    return out;
  }
  out.variance = left;
  if (others == 1) {
    out.squares = left * left;
    return out;
  }
  if (!(r.total_squares > 0)) {
    out.reason = "the spectrum of the discarded variance is unknown";
    return out;
  }
  // Equal variances have the least Σλ², none is above the last component's.
  const double least = left * left / others,
               most = left * std::min(left, variance[variance.size() - 1]);
  const double squares = r.total_squares - variance.squaredNorm();
  const double lost = 4 * (static_cast<double>(variance.size()) + 8) *
                          std::numeric_limits<double>::epsilon() * r.total_squares +
                      2 * rounding * variance[0];
  if (lost > 0.1 * least)
    out.reason = fmt::format(
        "the spectrum of the discarded variance, {:.2g} of the total over {:g} directions, is lost "
        "in rounding",
        left / r.total_variance, others);
  // Within `lost` of the truth, which lies between these.
  out.squares = std::clamp(squares, least, std::max(least, most));
  return out;
}

}  // namespace

void require_level(double level) {
  require(level > 0 && level < 1, Errc::bad_option, "`level={}` is not between 0 and 1", level);
}

// Measured (`./dev calibrate`): from about this many rows on, the false alarms of simulated limits
// are those of the level, for flat and steep spectra. Of fewer rows than 95 % needs, no level is
// certain: the T² of 10 to 20 rows of a steep spectrum is beyond its limit too often at all levels.
Index rows_for_gaussian_limits(double level, Index components) {
  return std::max(components + 3, ceiling(-20 * std::log10(1 - std::max(level, 0.95))));
}

// Measured as well: if there are fewer rows, a component may be due to a handful of them.
Index rows_for_left_out_limits(double level) {
  return std::max<Index>(200, ceiling(2 / (1 - level)));
}

Index rows_for_good_limits(double level) {
  return std::max<Index>(1, ceiling(level / (1 - level)));
}

double level_of_gaussian_limits(Index rows, Index components) {
  return carried_level(rows, [&](double x) { return rows_for_gaussian_limits(x, components); });
}
double level_of_left_out_limits(Index rows) {
  return carried_level(rows, rows_for_left_out_limits);
}
double level_of_good_limits(Index rows) { return carried_level(rows, rows_for_good_limits); }

ScoreLimits no_limits(double level, const std::string& reason) {
  ScoreLimits limits{.level = level};
  limits.t2_from = limits.spe_from = reason;
  return limits;
}

ScoreLimits gaussian_limits(const Report& r, const Vector<double>& variance, Index directions,
                            bool scaled, double level, const RunOptions& how) {
  const Index k = (variance.array() > 0).count(), n = r.n_samples;
  if (k == 0) return no_limits(level, "the model has no variance");
  const LeftOver left = left_over(r, variance, directions);
  // Hotelling's law holds for any number of rows.
  const Index needed = left.variance > 0 ? rows_for_gaussian_limits(level, k) : k + 3;
  if (n < needed) return no_limits(level, too_few(level, needed, n, "rows in the fit"));
  ScoreLimits limits{.level = level};
  const auto rows = static_cast<double>(n);
  const double degrees = rows - (r.centered ? 1 : 0), new_row = r.centered ? 1 + 1 / rows : 1;
  // Variances over N − 1 about the mean, over N about 0; those of the model are over N − ddof.
  const double ddof = (rows - r.ddof) / degrees;
  limits.spe_from = left.reason;
  if (!(left.variance > 0)) {
    limits.t2 = ddof * hotelling_limit(static_cast<double>(k), degrees, new_row, level);
    limits.t2_from =
        fmt::format("F({}, {:g}): Gaussian rows", k, degrees - static_cast<double>(k) + 1);
    return limits;
  }
  const SampleSpectrum seen{variance.head(k) * ddof,
                            left.variance * ddof,
                            left.squares * ddof * ddof,
                            directions,
                            degrees,
                            scaled,
                            new_row};
  if (!can_simulate(seen))
    return no_limits(level, fmt::format("{} components of {} directions are too many to simulate",
                                        k, directions));
  const GaussianLimits found = simulated_limits(seen, level, how);
  if (!(found.t2 > 0))
    return no_limits(level, "there are too many discarded directions to simulate");
  limits.t2 = ddof * found.t2;
  limits.t2_from = fmt::format("simulated for {} Gaussian rows", n);
  if (!left.reason.empty()) return limits;
  limits.spe = found.spe;
  limits.spe_from = limits.t2_from;
  return limits;
}

ScoreLimits left_out_limits(const LeftOutScores& rows, const LimitFactors& factors, double level) {
  ScoreLimits limits{.level = level};
  limits.t2_from = fmt::format("leave-one-out quantile of {} training rows", rows.t2.size());
  limits.spe_from = limits.t2_from;
  // Under narrow kernels nearly all rows have the same SPE, and a factor just below 1 would put
  // them all outside: no more than half as many again as the level states.
  const double least = std::max(level / 2, 1 - 1.5 * (1 - level));
  const auto limit = [&](const Vector<double>& values, double factor) {
    return std::max(factor * quantile(values, level), quantile(values, least));
  };
  const double t2 = limit(rows.t2, factors.t2);
  if (std::isfinite(t2)) limits.t2 = t2;
  else limits.t2_from = "some components depend on a single row";
  limits.spe = limit(rows.spe, factors.spe);
  return limits;
}

ScoreLimits limits_of(const RowScores& good, double level) {
  require_level(level);
  const Index n = good.t2.size(), needed = rows_for_good_limits(level);
  require(n > 0, Errc::bad_data, "limits need at least one row");
  if (n < needed) return no_limits(level, too_few(level, needed, n, "good rows"));
  ScoreLimits limits{.level = level};
  limits.t2 = quantile(good.t2, level);
  limits.t2_from = fmt::format("quantile of {} rows", n);
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
