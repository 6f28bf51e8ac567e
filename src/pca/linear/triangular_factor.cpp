#include "pca/linear/triangular_factor.hpp"

#include "core/parallel.hpp"
#include "core/require.hpp"
#include "linalg/blas.hpp"
#include "linalg/lapack.hpp"
#include "model/relations.hpp"
#include "operators/centred.hpp"
#include "pca/intervals.hpp"
#include "pca/linear/moment_errors.hpp"
#include "pca/linear/spectrum_checks.hpp"
#include "pca/row_sums.hpp"
#include "solvers/dense.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mercer {

namespace {

/// Backward error of the SVD of an n×d matrix, relative to its norm: LAPACK's algorithms are
/// normwise stable, with a factor that grows like the order.
RoundingBound rounding_of_svd(Index n, Index d) {
  return roundings(8 * static_cast<double>(std::min(n, d)) + 32);
}

/// Backward error of Householder's QR of N rows of d columns, relative to the length of each
/// column: d reflections, each an inner product over the rows of a leaf, and as many for two
/// triangles wherever leaves meet in their tree (Higham 2002, theorem 19.4; with random errors the
/// root of it, Connolly & Higham, SIAM J. Matrix Anal. Appl. 44, 1146, 2023). Leaves are off by
/// their own columns' lengths, so that there are many of them does not add up.
RoundingBound rounding_of_qr(double rows, double columns) {
  const double leaf = std::min(rows, std::max(1024.0, 8 * columns));
  const double levels = 4 * (std::log2(rows / leaf) + 1);
  return roundings(6 * columns * (leaf + levels * (2 * columns + 8)));
}

/// What is known of columns, as z-scores.
void scale_columns(Spectrum& s, const Vector<double>& divisors) {
  s.column_scatter.array() /= divisors.array().square();
  s.column_noise.array() /= divisors.array().square();
  s.offset.array() /= divisors.array();
  s.filling.array() /= divisors.array();
}

/// The triangular factor of the rows about their mean, which goes to `s`. With a column of ones in
/// front, the first row of the factor is what rounding left of the mean, and the rest is that of
/// rows about the mean itself: QR takes it off by reflections, as it does any column.
template <class T>
Matrix<double> centred_triangle(Passes<T>& passes, const FitOptions& options, Spectrum& s) {
  const Index d = passes.features();
  s.offset = s.filling = Vector<double>::Zero(d);
  const Matrix<double> r = triangle_of(
      passes, options, s.mean, options.missing == Missing::mean ? s.rest : Vector<double>());
  if (!options.center) return r;
  s.offset = r.row(0).tail(d).transpose() / r(0, 0);
  s.filling = s.offset - s.rest;
  s.rest = lost_by_sum(s.mean, s.offset);
  s.mean += s.offset;
  return r.bottomRightCorner(d, d);
}

}  // namespace

void take_svd(Matrix<double> a, const FitOptions& options, Spectrum& s) {
  const Matrix<double> copy = a;
  const BlasThreads one(1);  // the bits of products depend on how many threads share them
  RightSvd svd = right_svd(std::move(a), options.threads);
  s.eigenvalues = svd.values.array().square();
  s.squares = s.eigenvalues.squaredNorm();
  s.components = std::move(svd.vectors);
  const Index k = s.components.rows(), n = copy.rows(), d = copy.cols();
  // Some at a time: the image of all is as large as the components.
  constexpr Index at_once = 64;
  Matrix<double> projected(at_once, n), image(at_once, d);
  s.residuals.resize(k);
  for (Index first = 0; first < k; first += at_once) {
    const Index count = std::min(at_once, k - first);
    multiply_transposed(s.components.row(first).data(), count, d, d, copy.data(), n, d,
                        projected.data(), n);
    multiply(projected.data(), count, n, n, copy.data(), d, d, image.data(), d);
    for (Index i = 0; i < count; ++i)
      s.residuals[first + i] =
          (image.row(i) - s.eigenvalues[first + i] * s.components.row(first + i)).stableNorm();
  }
  require_converged(s.residuals, options.tolerance, s.eigenvalues[0]);
  s.errors = s.residuals;
  s.residuals /= s.eigenvalues[0];
  s.by_qr = true;
  s.checked = false;
  s.factor = n == d && d <= most_related_features ? copy : Matrix<double>();
}

template <class T>
Vector<double> scales(const Vector<double>& scatter, const Vector<double>& mean, double weight,
                      const FitOptions& options, int exponent) {
  require_squares(scatter, mean);
  Vector<double> scale(scatter.size());
  for (Index j = 0; j < scale.size(); ++j) {
    const double second = scatter[j] + weight * mean[j] * mean[j];
    scale[j] = standard_deviation(scatter[j], second, denominator(weight, options), epsilon<T>);
    if (exponent != 0 && is_constant(scatter[j], second, epsilon<T>))
      scale[j] = std::ldexp(1.0, exponent);
  }
  return scale;
}

RoundingBound rounding_of_scales(RoundingBound column, double rows, double weight,
                                 const FitOptions& options) {
  if (options.scale != Scale::std) return {};
  // Half of the error of a square, and half of that of Σw − ddof.
  const RoundingBound weights = roundings(rows) * (weight / denominator(weight, options));
  return column * 0.5 + weights * 0.5 + roundings(4);
}

template <class T>
RoundingBound rounding_of_filling(const Spectrum& s, const Passes<T>& passes) {
  const double rows = static_cast<double>(passes.rows()), weight = passes.weight();
  const auto bound = [&](double times) {
    const double delta = times * s.filling.norm();
    return (2 * std::sqrt(weight * s.total) + weight * delta) * delta;
  };
  return {bound(rows), bound(std::min(10.0, rows))};
}

template <class T>
void take_qr(Passes<T>& passes, const FitOptions& options, Spectrum& s, const Moments* known) {
  const Index d = passes.features();
  const Vector<double> centre = s.mean, rest = s.rest;
  Matrix<double> r = centred_triangle(passes, options, s);
  s.column_scatter = r.colwise().squaredNorm().transpose();
  require_finite(s.column_scatter, passes);
  require_range(s.column_scatter.sum(), passes);
  const double rows = static_cast<double>(passes.rows()), weight = passes.weight();
  s.column_noise = noise_of_columns<T>(s.column_scatter, s.mean, weight);
  if (options.scale == Scale::std && s.scale.size() == 0)
    s.scale = scales<T>(s.column_scatter, s.mean, weight, options);
  require_variance<T>(s, passes.name(), passes.weighted());
  // QR is stable column by column, so scaling may come after it.
  if (s.scale.size() > 0) {
    const Vector<double> divisors = take_divisors(s, rows);
    r.array().rowwise() /= divisors.array().transpose();
    scale_columns(s, divisors);
  }
  s.total = r.squaredNorm();
  // What was factored are rows about the mean as it was rounded: longer by √W times what is left.
  const double length = std::sqrt(s.total) + std::sqrt(weight) * s.offset.norm();
  const RoundingBound qr = rounding_of_qr(rows, static_cast<double>(d) + 1);
  take_svd(r, options, s);
  const double sigma = std::sqrt(s.eigenvalues[0]);
  s.of_factor = 3 * length * (qr + roundings(4)) + std::sqrt(s.total) * rounding_of_svd(d, d) +
                sigma * rounding_of_scales(6 * qr + roundings(16), rows, weight, options);
  const RoundingBound filling =
      options.missing == Missing::mean ? rounding_of_filling(s, passes) : RoundingBound{};
  s.of_factor = s.of_factor + filling * (1 / sigma);
  take_noise(s, rows);
  if (uncertainty(found_of(s), 1) <= options.tolerance) return;
  Moments moments(known ? Vector<double>() : centre, known ? Vector<double>() : rest);
  if (!known) add_rows(passes, "check", options, moments);
  hold_against(known ? *known : moments, std::move(r), options, s);
  s.rounding = s.rounding + filling;
}

template <class T>
CentredRows<T> centred_rows(const Passes<T>& passes, Spectrum& s, const FitOptions& options) {
  const bool fill = options.missing == Missing::mean;
  CentredRows<T> a{.x = *passes.memory(),
                   .weights = passes.memory_weights(),
                   .mean = s.mean,
                   .scale = {},
                   .missing = fill ? s.rest : Vector<double>(),
                   .centred = options.center};
  const ColumnScatter columns = column_scatter(a, options.threads);
  require_finite(columns.scatter, passes);
  s.offset = columns.offset;
  s.filling = s.offset;
  if (options.center) {
    s.filling -= s.rest;
    s.rest = lost_by_sum(s.mean, s.offset);
  }
  s.mean += s.offset;
  a.mean = s.mean;
  if (fill) a.missing = s.rest - s.filling;  // about the mean as it is now
  s.column_scatter = columns.scatter;
  s.column_noise = noise_of_columns<T>(s.column_scatter, s.mean, passes.weight());
  require_range(s.column_scatter.sum(), passes);
  require_variance<T>(s, passes.name(), passes.weighted());
  a.far = passes.weight() * s.mean.squaredNorm() > s.column_scatter.sum();
  if (options.scale == Scale::std) {
    if (s.scale.size() == 0)
      s.scale = scales<T>(s.column_scatter, s.mean, passes.weight(), options);
    a.scale = take_divisors(s, static_cast<double>(passes.rows()));
    scale_columns(s, a.scale);
  }
  return a;
}

template <class T>
void take_rows(const CentredRows<T>& a, const Passes<T>& passes, const FitOptions& options,
               Spectrum& s) {
  Matrix<double> rows = dense(a, options.threads);
  const Index n = rows.rows(), d = rows.cols();
  s.total = rows.squaredNorm();
  const double length = std::sqrt(s.total);
  const double count = static_cast<double>(n);
  take_svd(std::move(rows), options, s);
  const double sigma = std::sqrt(s.eigenvalues[0]), weight = passes.weight();
  s.of_factor = length * (roundings(count + 12) + rounding_of_svd(n, d)) +
                sigma * rounding_of_scales(roundings(2 * count + 16), count, weight, options);
  if (options.missing == Missing::mean)
    s.of_factor = s.of_factor + rounding_of_filling(s, passes) * (1 / sigma);
  take_noise(s, count);
}

#define MERCER_INSTANTIATE(T)                                                             \
  template Vector<double> scales<T>(const Vector<double>&, const Vector<double>&, double, \
                                    const FitOptions&, int);                              \
  template RoundingBound rounding_of_filling(const Spectrum&, const Passes<T>&);          \
  template void take_qr(Passes<T>&, const FitOptions&, Spectrum&, const Moments*);        \
  template CentredRows<T> centred_rows(const Passes<T>&, Spectrum&, const FitOptions&);   \
  template void take_rows(const CentredRows<T>&, const Passes<T>&, const FitOptions&, Spectrum&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
