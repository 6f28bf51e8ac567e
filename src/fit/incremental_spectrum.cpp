#include "fit/incremental_spectrum.hpp"

#include "fit/factor_roads.hpp"
#include "fit/spectrum_checks.hpp"
#include "linalg/blas.hpp"
#include "linalg/lapack.hpp"
#include "linalg/stacked_qr.hpp"
#include "solvers/dense.hpp"

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

bool digits_lost(const Spectrum& s, const FitOptions& options) {
  const bool fraction = options.components.kind() == Components::Kind::fraction;
  const Index k = fraction ? kept_components(options.components, s) : s.eigenvalues.size();
  return s.eigenvalues[k - 1] < digits_lost_below * s.eigenvalues[0];
}

/// Nothing where the scatter matrix does not reach the tolerance.
template <class T>
std::optional<Spectrum> by_moments(const Moments& moments, const FitOptions& options) {
  try {
    Spectrum s = of_moments<T>(moments, "the stream", options);
    // Smaller ones are rounding of the squares.
    s.noise = std::max(s.noise, 64 * double_epsilon * s.eigenvalues[0]);
    return s;
  } catch (const Error& error) {
    if (error.code() != Errc::not_converged) throw;
    return std::nullopt;
  }
}

/// What reflections did to the singular values at most.
double moved_by_reflections(const CentredFactor::Node& node, const Spectrum& s) {
  const double d = static_cast<double>(node.mean.size());
  return (node.turned + 10 * double_epsilon * (2 * d * d + d)) * std::sqrt(s.total) * 1.01;
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
  if (!options.center) {
    Vector<double> row = std::sqrt(node.weight) * mean;
    stack_rows(r, row.data(), 1);
  }
  s.column_scatter = r.colwise().squaredNorm().transpose();
  s.column_noise = noise_of_columns<T>(s.column_scatter, s.mean, node.weight);
  require_variance(s, "the stream");
  if (options.scale == Scale::std) {
    s.scale = scales<T>(s.column_scatter, s.mean, node.weight, options);
    const Vector<double> divisors = divisors_of(s);
    // QR is stable column by column, so scaling may come after it.
    r.array().rowwise() /= divisors.array().transpose();
    s.column_scatter = r.colwise().squaredNorm().transpose();
    s.column_noise.array() /= divisors.array().square();
  }
  s.total = r.squaredNorm();
  s.by_qr = true;
  RightSvd svd = right_svd(r);
  s.eigenvalues = svd.values.array().square();
  s.squares = s.eigenvalues.squaredNorm();
  s.components = std::move(svd.vectors);
  take_noise(s, rows);
  s.of_factor.proven = moved_by_reflections(node, s) + std::sqrt(s.eigenvalues[0]) * node.share;
  s.of_factor.likely = s.of_factor.proven;
  Matrix<double> projected(d, d), image(d, d);
  multiply_transposed(s.components.data(), d, d, d, r.data(), d, d, projected.data(), d);
  multiply(projected.data(), d, d, d, r.data(), d, d, image.data(), d);
  s.residuals.resize(d);
  for (Index i = 0; i < d; ++i)
    s.residuals[i] = (image.row(i) - s.eigenvalues[i] * s.components.row(i)).norm();
  require_converged(s.residuals, options.tolerance, s.eigenvalues[0]);
  s.residuals /= s.eigenvalues[0];
  return s;
}

/// ‖δS‖ of the scatter matrix that the moments have, with its columns scaled.
double stream_rounding(const Moments& moments, const Spectrum& s, const FitOptions& options) {
  Vector<double> r = moments.rounding(options.center);
  if (s.scale.size() == 0) return r.squaredNorm();
  // The scales carry the rounding of the diagonal: half of it each, on rows and on columns.
  const Vector<double> scatter = moments.scatter_diagonal(options.center);
  double share = 4 * double_epsilon;
  for (Index j = 0; j < r.size(); ++j)
    if (scatter[j] > 0) share = std::max(share, r[j] * r[j] / scatter[j] + 4 * double_epsilon);
  r = r.cwiseQuotient(s.scale);
  return r.squaredNorm() + share * s.total;
}

/// What is certain of the solver: all pairs together are those of a matrix no further away.
double stream_residual(const Spectrum& s) {
  return s.residuals.norm() * s.eigenvalues[0] + 8 * double_epsilon * s.eigenvalues[0];
}

Certificate stream_interval(const Spectrum& s, double rounding, double apart) {
  Certificate c;
  c.rounding = rounding;
  const double width = rounding + apart;
  for (Index j = 0; j < s.eigenvalues.size(); ++j) {
    // A scatter matrix has no eigenvalue below 0.
    c.low.push_back(std::max(0.0, s.eigenvalues[j] - width));
    c.high.push_back(s.eigenvalues[j] + width);
  }
  return c;
}

/// σ is off by no more than what reflections did to the columns, and μ = σ² by the share of the
/// Cholesky factors; smaller for small μ than any bound that a scatter matrix can give.
void narrow_by_factor(const CentredFactor::Node& node, const Spectrum& s, Certificate& c) {
  const double moved = moved_by_reflections(node, s);
  for (std::size_t j = 0; j < c.low.size(); ++j) {
    const double sigma = std::sqrt(s.eigenvalues[static_cast<Index>(j)]);
    const double low = std::pow(std::max(0.0, sigma - moved), 2);  // σ is not below 0
    const double high = std::pow(sigma + moved, 2);
    c.low[j] = std::max(c.low[j], low / (1 + node.share));
    if (node.share < 1) c.high[j] = std::min(c.high[j], high / (1 - node.share));
  }
}

}  // namespace

template <class T>
IncrementalSpectrum spectrum_of(const Moments& moments, const CentredFactor& factor,
                                const FitOptions& options) {
  IncrementalSpectrum out;
  if (auto found = by_moments<T>(moments, options)) {
    out.spectrum = std::move(*found);
    if (!digits_lost(out.spectrum, options)) {
      out.certificate =
          stream_interval(out.spectrum, stream_rounding(moments, out.spectrum, options),
                          stream_residual(out.spectrum));
      return out;
    }
  }
  const BlasThreads one(1);
  const CentredFactor::Node node = factor.result();
  Matrix<double> r;
  out.spectrum = stream_factor<T>(node, options, static_cast<double>(moments.rows()), r);
  // The moments have the same matrix with another rounding, whose size is known.
  Matrix<double> scatter = moments.scatter(options.center);
  if (out.spectrum.scale.size() > 0) {
    scatter.array().colwise() /= out.spectrum.scale.array();
    scatter.array().rowwise() /= out.spectrum.scale.array().transpose();
  }
  Matrix<double> squares = Matrix<double>::Zero(r.rows(), r.cols());
  add_inner_products(r.data(), r.rows(), r.cols(), r.cols(), squares);
  scatter.triangularView<Eigen::StrictlyLower>().setZero();
  const double apart = std::sqrt(2.0) * (scatter - squares).norm();  // the triangle counts twice
  out.certificate = stream_interval(out.spectrum, stream_rounding(moments, out.spectrum, options),
                                    stream_residual(out.spectrum) + apart);
  narrow_by_factor(node, out.spectrum, out.certificate);
  return out;
}

template IncrementalSpectrum spectrum_of<float>(const Moments&, const CentredFactor&,
                                                const FitOptions&);
template IncrementalSpectrum spectrum_of<double>(const Moments&, const CentredFactor&,
                                                 const FitOptions&);

}  // namespace mercer
