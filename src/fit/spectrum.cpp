#include "fit/spectrum.hpp"

#include "core/parallel.hpp"
#include "core/require.hpp"
#include "fit/spectrum_checks.hpp"
#include "linalg/blas.hpp"
#include "linalg/lapack.hpp"
#include "operators/centred.hpp"
#include "operators/column_means.hpp"
#include "operators/gram.hpp"
#include "operators/tsqr.hpp"
#include "solvers/dense.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mercer {

namespace {

/// An eigenvalue of a product AᵀA carries an error of a few ε·μ₁. Below this share of μ₁ that is
/// more than 1e-10 of it, and the rows themselves are asked.
constexpr double rescue_below = 1e-5;
/// Centring sparse rows after the fact may cost this many digits and no more.
constexpr double cancellation_limit = 1e4;

bool needs_rescue(const Spectrum& s, const FitOptions& options) {
  const bool fraction = options.components.kind() == Components::Kind::fraction;
  const Index k = fraction ? kept_components(options.components, s) : s.eigenvalues.size();
  return s.eigenvalues[k - 1] < rescue_below * s.eigenvalues[0];
}

template <class T>
Vector<double> means(Passes<T>& passes, const FitOptions& options) {
  ColumnMeans means(passes.features(), options.missing == Missing::mean);
  passes.run("means", [&](const Rows<T>& rows, const double* weights) {
    means.add(rows, weights, options.threads);
  });
  require_rows(passes, options);
  Vector<double> mean = means.mean();
  require_finite(mean, passes);
  if (!options.center) mean.setZero();
  return mean;
}

template <class T>
Vector<double> scales(const Vector<double>& scatter, const Vector<double>& mean, double weight,
                      const FitOptions& options) {
  Vector<double> scale(scatter.size());
  for (Index j = 0; j < scale.size(); ++j)
    scale[j] = standard_deviation(scatter[j], scatter[j] + weight * mean[j] * mean[j],
                                  denominator(weight, options), epsilon<T>);
  return scale;
}

/// Singular values and right vectors of `a`, the rows or a triangle of theirs.
void take_svd(Matrix<double> a, const FitOptions& options, Spectrum& s) {
  const Matrix<double> copy = a;
  const BlasThreads one(1);  // the bits of products depend on how many threads share them
  RightSvd svd = right_svd(std::move(a), options.threads);
  s.eigenvalues = svd.values.array().square();
  s.squares = s.eigenvalues.squaredNorm();
  s.components = std::move(svd.vectors);
  const Index k = s.components.rows(), n = copy.rows(), d = copy.cols();
  Matrix<double> projected(k, n), image(k, d);
  multiply_transposed(s.components.data(), k, d, d, copy.data(), n, d, projected.data(), n);
  multiply(projected.data(), k, n, n, copy.data(), d, d, image.data(), d);
  s.residuals.resize(k);
  for (Index i = 0; i < k; ++i)
    s.residuals[i] = (image.row(i) - s.eigenvalues[i] * s.components.row(i)).norm();
  require_converged(s.residuals, options.tolerance, s.eigenvalues[0]);
  s.residuals /= s.eigenvalues[0];
}

/// Eigenpairs from a QR of the centred rows; `s` has the mean and, perhaps, the scale.
template <class T>
void take_qr(Passes<T>& passes, const FitOptions& options, Spectrum& s) {
  StreamedQr qr(s.mean, options.missing == Missing::mean, options.threads);
  passes.run("QR", [&](const Rows<T>& rows, const double* weights) { qr.add(rows, weights); });
  Matrix<double> r = qr.factor();
  const Vector<double> scatter = r.colwise().squaredNorm().transpose();
  require_finite(scatter, passes);
  if (options.scale == Scale::std && s.scale.size() == 0)
    s.scale = scales<T>(scatter, s.mean, passes.weight(), options);
  // QR is stable column by column, so scaling may come after it.
  if (s.scale.size() > 0) r.array().rowwise() /= s.scale.array().transpose();
  s.total = r.squaredNorm();
  s.noise = noise_level<T>(total_second_moment(s, passes.weight()));
  s.by_qr = true;
  require_variance(s, passes.name());
  take_svd(std::move(r), options, s);
}

template <class T>
CentredRows<T> centred_rows(const Passes<T>& passes, Spectrum& s, const FitOptions& options) {
  CentredRows<T> a{
      *passes.memory(), passes.memory_weights(), s.mean, {}, options.missing == Missing::mean};
  if (options.scale == Scale::std) {
    s.scale = scales<T>(column_scatter(a, options.threads), s.mean, passes.weight(), options);
    a.scale = s.scale;
  }
  return a;
}

/// Eigenpairs from the SVD of the centred rows, which are in memory and wide.
template <class T>
void take_rows(const CentredRows<T>& a, const Passes<T>& passes, const FitOptions& options,
               Spectrum& s) {
  Matrix<double> rows = dense(a, options.threads);
  s.total = rows.squaredNorm();
  s.noise = noise_level<T>(total_second_moment(s, passes.weight()));
  s.by_qr = true;
  require_finite(Vector<double>(Vector<double>::Constant(passes.features(), s.total)), passes);
  require_variance(s, passes.name());
  take_svd(std::move(rows), options, s);
}

}  // namespace

Index kept_components(const Components& asked, const Spectrum& s) {
  Index rank = 0;
  while (rank < s.eigenvalues.size() && s.eigenvalues[rank] > s.noise) ++rank;
  switch (asked.kind()) {
    case Components::Kind::all:
      return rank;
    case Components::Kind::count:
      if (asked.soft()) return std::min(asked.count(), rank);
      require(asked.count() <= rank, Errc::bad_option,
              "-k {} is more than the data have: only {} directions have any variance; use -k all",
              asked.count(), rank);
      return asked.count();
    default:
      break;
  }
  require(asked.kind() == Components::Kind::fraction, Errc::bad_option,
          "-k auto, gavish-donoho and minka need rows to look at: give a count, a fraction or all");
  double sum = 0;
  for (Index k = 0; k < rank; ++k) {
    sum += s.eigenvalues[k];
    // A rounding error must not cost one more component.
    if (sum >= asked.fraction() * s.total * (1 - 1e-12)) return k + 1;
  }
  return rank;
}

template <class T>
Spectrum of_moments(const Moments& moments, const std::string& name, const FitOptions& options) {
  const Index d = moments.features();
  require_rows(moments.rows(), moments.weight(), name, options);
  Spectrum s;
  s.mean = options.center ? moments.mean() : Vector<double>(Vector<double>::Zero(d));
  Matrix<double> scatter = moments.scatter(options.center);
  if (options.scale == Scale::std) {
    s.scale =
        scales<T>(moments.scatter_diagonal(options.center), s.mean, moments.weight(), options);
    scatter.array().colwise() /= s.scale.array();
    scatter.array().rowwise() /= s.scale.array().transpose();
  }
  s.total = scatter.trace();
  s.squares = scatter.squaredNorm();
  s.noise = noise_level<T>(total_second_moment(s, moments.weight()));
  require_variance(s, name);

  auto pairs = dense_eigenpairs(scatter, wanted(moments.rows(), d, options), options.tolerance,
                                options.threads);
  s.eigenvalues = pairs.values.cwiseMax(0);
  s.components = std::move(pairs.vectors);
  s.residuals = pairs.residuals / pairs.values[0];
  return s;
}

template <class T>
Spectrum by_covariance(Passes<T>& passes, const FitOptions& options) {
  const Index d = passes.features();
  const bool fill = options.missing == Missing::mean;
  Moments moments = fill ? Moments(means(passes, options)) : Moments(d);
  const auto add = [&](const Rows<T>& rows, const double* weights) {
    moments.add(rows, weights, options.threads);
  };
  passes.run("covariance", add);
  require_rows(passes, options);
  require_finite(moments.scatter_diagonal(), passes);
  if (passes.sparse() && options.center && moments.cancellation() > cancellation_limit) {
    moments = Moments(moments.mean());  // known centre: rows are made dense, block by block
    passes.run("covariance", add);
  }
  Spectrum s = of_moments<T>(moments, passes.name(), options);
  if (needs_rescue(s, options)) take_qr(passes, options, s);
  return s;
}

template <class T>
Spectrum by_gram(Passes<T>& passes, const FitOptions& options) {
  Spectrum s;
  s.mean = means(passes, options);
  const Index k_most = wanted(passes, options);
  const CentredRows<T> a = centred_rows(passes, s, options);
  const Matrix<double> products = gram(a, options.threads, options.monitor);
  s.total = products.trace();
  for (Index i = 0; i < products.rows(); ++i)  // the upper triangle is all there is
    s.squares += 2 * products.row(i).tail(products.rows() - i).squaredNorm() -
                 products(i, i) * products(i, i);
  require_finite(Vector<double>(Vector<double>::Constant(passes.features(), s.total)), passes);
  s.noise = noise_level<T>(total_second_moment(s, passes.weight()));
  require_variance(s, passes.name());

  auto pairs = dense_eigenpairs(products, k_most, options.tolerance, options.threads);
  s.eigenvalues = pairs.values.cwiseMax(0);
  s.residuals = pairs.residuals / pairs.values[0];
  if (needs_rescue(s, options)) {
    take_rows(a, passes, options, s);
    return s;
  }
  const Index k = kept_components(options.components, s);
  Matrix<double> v = pairs.vectors.topRows(k);
  v.array().colwise() /= s.eigenvalues.head(k).array().sqrt();
  s.components = combine(v, a, options.threads);
  s.components.rowwise().normalize();
  // ‖Sq − μq‖ = ‖Aᵀ(Gv − μv)‖/√μ ≤ √(μ₁/μ)·‖Gv − μv‖
  s.residuals.head(k).array() *= (s.eigenvalues[0] / s.eigenvalues.head(k).array()).sqrt();
  return s;
}

template <class T>
Spectrum by_svd(Passes<T>& passes, const FitOptions& options) {
  Spectrum s;
  s.mean = means(passes, options);
  wanted(passes, options);  // a k that is too large is refused before the work
  if (passes.memory() && passes.rows() < passes.features()) {
    take_rows(centred_rows(passes, s, options), passes, options, s);
  } else {
    take_qr(passes, options, s);
  }
  return s;
}

#define MERCER_INSTANTIATE(T)                                                             \
  template Spectrum of_moments<T>(const Moments&, const std::string&, const FitOptions&); \
  template Spectrum by_covariance(Passes<T>&, const FitOptions&);                         \
  template Spectrum by_gram(Passes<T>&, const FitOptions&);                               \
  template Spectrum by_svd(Passes<T>&, const FitOptions&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
