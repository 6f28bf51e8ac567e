#include "pca/linear/incremental_spectrum.hpp"

#include "core/require.hpp"
#include "core/roundoff.hpp"
#include "linalg/blas.hpp"
#include "linalg/stacked_qr.hpp"
#include "pca/intervals.hpp"
#include "pca/linear/moment_errors.hpp"
#include "pca/linear/spectrum_checks.hpp"
#include "pca/linear/triangular_factor.hpp"

#include <mercer/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace mercer {

namespace {

constexpr double double_epsilon = std::numeric_limits<double>::epsilon();
/// As in `fit`: below this share of the first, squares have cost an eigenvalue its digits.
constexpr double digits_lost_below = 1e-5;

/// Or residuals and rounding exceed the tolerance.
bool digits_lost(const Spectrum& s, const FitOptions& options) {
  const bool fraction = options.components.kind() == Components::Kind::fraction;
  const Index k = fraction ? kept_or_none(options.components, s) : s.eigenvalues.size();
  return k == 0 || s.eigenvalues[k - 1] < digits_lost_below * s.eigenvalues[0] ||
         !(uncertainty(found_of(s), k) <= options.tolerance);
}

/// Sums of sparse rows are about 0: with a far mean no column keeps digits of its variance.
bool variance_lost(const Moments& moments) {
  return (moments.scatter().diagonal().array() <= moments.rounding().array().square()).all();
}

/// With the message of `fit`, which multiplies such rows by a power of two: sums cannot be.
void require_squares(const Vector<double>& scatter, const Vector<double>& mean,
                     const FitOptions& options) {
  const double total = scatter.sum();
  const bool scaled = options.scale == Scale::std;
  require(std::isfinite(total), Errc::bad_data,
          "the stream contains numbers too large to square; divide all numbers by a constant");
  require(total <= 0 || total >= least_squares, Errc::bad_data,
          "the stream contains numbers too small to square: their squares add up to about "
          "1e{:+.0f}; multiply all numbers by 1e{:+.0f}",
          std::log10(total), -std::floor(std::log10(total) / 2));
  // Beside others a column does not count, unless they are scaled.
  for (Index j = 0; j < scatter.size() && scaled; ++j)
    require(scatter[j] >= least_squares || (scatter[j] == 0 && mean[j] == 0) ||
                std::abs(mean[j]) > 1e-130,
            Errc::bad_data,
            "the stream: column {} contains numbers too small to square; multiply it by a constant",
            j + 1);
}

/// Nothing where the scatter matrix does not reach the tolerance.
template <class T>
std::optional<Spectrum> by_moments(const Moments& moments, const FitOptions& options) {
  require_rows(moments.rows(), moments.weight(), "the stream", options);
  const bool centred = options.center || options.scale == Scale::std;
  require_squares(moments.scatter(centred).diagonal(), moments.mean(), options);
  try {
    Spectrum s = of_moments<T>(moments, "the stream", options);
    if (!(s.squares > least_squares))  // it has underflowed
      s.rounding = s.rounding + rounding_of_eigenpairs(moments.features()) * norm_of(s);
    // Smaller ones are rounding of the squares.
    s.noise = std::max(s.noise, 64 * double_epsilon * s.eigenvalues[0]);
    return s;
  } catch (const Error& error) {
    const bool lost = error.code() == Errc::bad_data && variance_lost(moments);
    if (error.code() != Errc::not_converged && !lost) throw;
    return std::nullopt;
  }
}

/// What reflections did to the singular values: as many roundings at most, and the root of that
/// when their errors are independent (Connolly & Higham, see `factor_roads.cpp`).
RoundingBound moved_by_reflections(const CentredFactor::Node& node, const Spectrum& s) {
  const double d = static_cast<double>(node.mean.size());
  const double depth = node.turned / unit_roundoff + 20 * (2 * d * d + d);
  return roundings(depth) * (std::sqrt(s.total) * 1.01);
}

/// What Cholesky factors and, in z-scores, the scales may have done to every eigenvalue, relative
/// to it (of D⁻¹SD⁻¹ with D off by δ: Ostrowski's theorem, twice δ).
double relative_error(const CentredFactor::Node& node, const FitOptions& options, double rows) {
  const double d = static_cast<double>(node.mean.size());
  const double columns =
      2.1 * roundings(node.turned / unit_roundoff + 20 * (2 * d * d + d)).proven + node.share;
  const RoundingBound scales = rounding_of_scales({columns, columns}, rows, node.weight, options);
  return node.share + 2.1 * scales.proven;
}

/// R about the mean or the origin, with columns divided by their scales.
template <class T>
Spectrum stream_factor(const CentredFactor::Node& node, const FitOptions& options, double rows,
                       Matrix<double>& r) {
  Spectrum s;
  const Index d = node.mean.size();
  const Vector<double> mean = node.mean + node.rest;
  r = node.r;
  s.mean = options.center ? mean : Vector<double>(Vector<double>::Zero(d));
  if (options.center) s.rest = lost_by_sum(node.mean, node.rest);
  if (!options.center) {
    Vector<double> row = std::sqrt(node.weight) * mean;
    stack_rows(r, row.data(), 1);
  }
  s.column_scatter = r.colwise().squaredNorm().transpose();
  require_squares(s.column_scatter, mean, options);
  s.column_noise = noise_of_columns<T>(s.column_scatter, s.mean, node.weight);
  require_variance<T>(s, "the stream", false);
  if (options.scale == Scale::std) {
    // The deviations are about the mean, also where rows keep it.
    s.scale = scales<T>(node.r.colwise().squaredNorm().transpose(), mean, node.weight, options);
    const Vector<double> divisors = take_divisors(s, rows);
    // QR is stable column by column, so scaling may come after it.
    r.array().rowwise() /= divisors.array().transpose();
    s.column_scatter = r.colwise().squaredNorm().transpose();
    s.column_noise.array() /= divisors.array().square();
  }
  s.total = r.squaredNorm();
  take_svd(r, options, s);
  take_noise(s, rows);
  const double share = std::sqrt(s.eigenvalues[0]) * relative_error(node, options, rows);
  const RoundingBound moved = moved_by_reflections(node, s);
  s.of_factor = {moved.proven + share, moved.likely + share};
  return s;
}

/// σ is off by no more than what reflections did to the columns, and μ = σ² by a share of itself;
/// smaller for small μ than any bound that a scatter matrix can give.
void narrow_by_factor(const CentredFactor::Node& node, const Spectrum& s, double share,
                      Certificate& c) {
  const RoundingBound bound = moved_by_reflections(node, s);
  const double moved = c.confidence < 1 ? bound.likely : bound.proven;
  for (std::size_t j = 0; j < c.low.size(); ++j) {
    const double sigma = std::sqrt(s.eigenvalues[static_cast<Index>(j)]);
    const double low = std::pow(std::max(0.0, sigma - moved), 2);  // σ is not below 0
    const double high = std::pow(sigma + moved, 2);
    // Rounded outwards by some ε, so that both hold σ² itself.
    c.low[j] = std::max(c.low[j], low / (1 + share) * (1 - 4 * double_epsilon));
    if (share < 1) c.high[j] = std::min(c.high[j], high / (1 - share) * (1 + 4 * double_epsilon));
  }
}

}  // namespace

template <class T>
IncrementalSpectrum spectrum_of(const Moments& moments, const CentredFactor& factor,
                                const FitOptions& options) {
  IncrementalSpectrum out;
  Spectrum& s = out.spectrum;
  const auto certify = [&] {
    out.certificate = intervals_of(found_of(s), s.eigenvalues.size(), options.tolerance);
  };
  if (auto found = by_moments<T>(moments, options)) {
    s = std::move(*found);
    certify();
    if (!digits_lost(s, options)) return out;
  }
  const BlasThreads one(1);
  const CentredFactor::Node node = factor.result();
  Matrix<double> r;
  const double rows = static_cast<double>(moments.rows());
  s = stream_factor<T>(node, options, rows, r);
  // The moments have the same matrix with another rounding, whose size is known.
  hold_against(moments, std::move(r), options, s);
  certify();
  narrow_by_factor(node, s, relative_error(node, options, rows), out.certificate);
  return out;
}

template IncrementalSpectrum spectrum_of<float>(const Moments&, const CentredFactor&,
                                                const FitOptions&);
template IncrementalSpectrum spectrum_of<double>(const Moments&, const CentredFactor&,
                                                 const FitOptions&);

}  // namespace mercer
