#include "pca/intervals.hpp"

#include "core/require.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace mercer {

namespace {

/// Pairs [first, last] whose intervals meet, and the radius that holds for each of them.
struct Cluster {
  Index first, last;
  double radius;  // the norm of their residuals
};

std::vector<double> cluster_radii(const Vector<double>& values, const Vector<double>& residuals,
                                  Index k) {
  std::vector<Cluster> clusters;
  for (Index j = 0; j < k; ++j) {
    clusters.push_back({j, j, residuals[j]});
    while (clusters.size() > 1) {
      const Cluster &a = clusters[clusters.size() - 2], &b = clusters.back();
      if (values[a.last] - a.radius > values[b.first] + b.radius) break;
      clusters[clusters.size() - 2] = {a.first, b.last, std::hypot(a.radius, b.radius)};
      clusters.pop_back();
    }
  }
  std::vector<double> radii(static_cast<std::size_t>(k));
  for (const Cluster& c : clusters)
    for (Index j = c.first; j <= c.last; ++j) radii[static_cast<std::size_t>(j)] = c.radius;
  return radii;
}

/// Rounded outwards: computing the ends rounds too.
double below(double x) { return x - 4 * unit_roundoff * std::abs(x); }
double above(double x) {
  return x + 4 * unit_roundoff * std::abs(x) + std::numeric_limits<double>::denorm_min();
}

Certificate by_factor(const Vector<double>& values, Index k, double error) {
  Certificate out;
  out.rounding = above((2 * std::sqrt(values[0]) + error) * error);
  for (Index j = 0; j < k; ++j) {
    const double sigma = std::sqrt(values[j]);
    // A singular value is not negative: its interval ends at 0.
    const double least = std::max(0.0, sigma - error), most = sigma + error;
    out.low.push_back(std::min(values[j], below(least * least)));
    out.high.push_back(std::max(values[j], above(most * most)));
  }
  return out;
}

Certificate by_matrix(const Vector<double>& values, const Vector<double>& residuals, Index k,
                      double rounding) {
  Certificate out;
  out.rounding = rounding;
  const std::vector<double> radii = cluster_radii(values, residuals, k);
  for (Index j = 0; j < k; ++j) {
    const double radius = radii[static_cast<std::size_t>(j)] + rounding;
    // No eigenvalue of a scatter matrix is negative: its interval ends at 0.
    out.low.push_back(std::max(0.0, below(values[j] - radius)));
    out.high.push_back(above(values[j] + radius));
  }
  return out;
}

/// Both hold, so does what they have in common: each holds the values.
Certificate common(Certificate a, const Certificate& b) {
  a.rounding = std::min(a.rounding, b.rounding);
  for (std::size_t j = 0; j < a.low.size(); ++j) {
    a.low[j] = std::max(a.low[j], b.low[j]);
    a.high[j] = std::min(a.high[j], b.high[j]);
  }
  return a;
}

Certificate intervals_by(const FoundEigenvalues& found, Index k, bool proven) {
  const auto bound = [&](const RoundingBound& b) { return proven ? b.proven : b.likely; };
  const auto matrix = [&] {
    return by_matrix(found.values, found.residuals, k, bound(found.matrix));
  };
  if (!found.squared_factor) return matrix();
  const Certificate factor = by_factor(found.values, k, bound(found.factor));
  return found.checked ? common(factor, matrix()) : factor;
}

double uncertainty_by(const FoundEigenvalues& found, Index k, bool proven) {
  const double error = proven ? found.factor.proven : found.factor.likely;
  const double first = found.values[0];
  const double factor = (2 * std::sqrt(first) + error) * error / first;
  if (found.squared_factor && !found.checked) return factor;
  const double matrix =
      (found.residuals.head(k).maxCoeff() + (proven ? found.matrix.proven : found.matrix.likely)) /
      first;
  return found.squared_factor ? std::min(factor, matrix) : matrix;
}

/// A tolerance of one digit that leaves room for residuals to grow to half of it.
double tolerance_for(double uncertainty) {
  const double unit = std::pow(10.0, std::floor(std::log10(2 * uncertainty)));
  return std::ceil(2 * uncertainty / unit) * unit;
}

}  // namespace

Certificate intervals_of(const FoundEigenvalues& found, Index k, double tolerance) {
  const bool proven = uncertainty_by(found, k, true) <= tolerance;
  Certificate out = intervals_by(found, k, proven);
  if (proven) return out;
  out.confidence = likely_confidence;
  out.reason =
      "rounding errors are treated as independent; worst-case intervals would exceed the tolerance";
  return out;
}

double uncertainty(const FoundEigenvalues& found, Index k) {
  return uncertainty_by(found, k, false);
}

void require_within(const FoundEigenvalues& found, Index k, double tolerance) {
  const double worst = uncertainty(found, k);
  // NaN must fail too.
  require(worst <= tolerance, Errc::not_converged,
          "residuals and rounding leave the eigenvalues uncertain by {:.1e} of the first, above "
          "the tolerance {:.1e}; {}",
          worst, tolerance,
          worst < 0.05
              ? fmt::format("use {}`tolerance={:.0e}`",
                            found.squared_factor ? "" : "`solver=svd` or ", tolerance_for(worst))
              : "fit the columns separately or scale them (`scale=std`)");
}

}  // namespace mercer
