#include "fit/spectrum.hpp"

#include "core/parallel.hpp"
#include "core/require.hpp"
#include "fit/standard.hpp"
#include "linalg/blas.hpp"
#include "linalg/lapack.hpp"
#include "operators/centred.hpp"
#include "operators/column_means.hpp"
#include "operators/gram.hpp"
#include "operators/scatter.hpp"
#include "operators/tsqr.hpp"
#include "solvers/dense.hpp"
#include "solvers/krylov.hpp"

#include <mercer/moments.hpp>

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

template <class T>
constexpr double epsilon = std::numeric_limits<T>::epsilon();

double denominator(double weight, const FitOptions& options) { return weight - options.ddof; }

template <class T>
void require_rows(const Passes<T>& passes, const FitOptions& options) {
  require(passes.rows() > 0, Errc::bad_data, "{} has no rows", passes.name());
  require(passes.rows() > 1 || !options.center, Errc::bad_data,
          "{} has one row: a mean and a variance need at least two", passes.name());
  require(denominator(passes.weight(), options) > 0, Errc::bad_data,
          "{}: the row weights add up to {:g}; variances with ddof = {} need more", passes.name(),
          passes.weight(), options.ddof);
}

/// `sums`, one a column, tell whether all numbers were finite; the rows tell which was not.
template <class T>
void require_finite(const Vector<double>& sums, const Passes<T>& passes) {
  if (sums.allFinite()) return;
  const Rows<T>* rows = passes.memory();
  const Index n = rows ? rows->rows() : 0, d = sums.size();
  const Vector<double> zero = Vector<double>::Zero(d);
  Vector<double> x(d);
  for (Index i = 0; i < n; ++i) {
    centred_block(rows->middle(i, 1), 0, d, {.centre = zero.data()}, x.data(), d);
    for (Index j = 0; j < d; ++j)
      require(std::isfinite(x[j]), Errc::bad_data,
              "row {}, column {} is {}; remove the row or fill in a number", i + 1, j + 1, x[j]);
  }
  for (Index j = 0; j < d; ++j)
    require(std::isfinite(sums[j]), Errc::bad_data,
            "{}: column {} holds a NaN, an infinity or numbers too large to square; scale it down",
            passes.name(), j + 1);
}

/// Rounding of the data themselves, ε of their size, spread over all columns.
template <class T>
double noise_level(double total_second_moment) {
  return 16 * epsilon<T> * epsilon<T> * total_second_moment;
}

void require_variance(const Spectrum& s, const std::string& name) {
  require(s.total > s.noise, Errc::bad_data,
          "{}: all rows are equal, there is no variance to explain", name);
}

/// Eigenpairs to compute: those asked for, or all that can be non-zero.
template <class T>
Index wanted(const Passes<T>& passes, const FitOptions& options) {
  const Index rank = std::min<Index>(passes.features(), passes.rows() - (options.center ? 1 : 0));
  const Components& asked = options.components;
  if (asked.soft()) return std::min(asked.count(), rank);
  require(asked.kind() != Components::Kind::count || asked.count() <= rank, Errc::bad_option,
          "-k {} is too large: {} rows and {} columns have at most {} components", asked.count(),
          passes.rows(), passes.features(), rank);
  return asked.kind() == Components::Kind::count ? asked.count() : rank;
}

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

double total_second_moment(const Spectrum& s, double weight) {
  return s.total + weight * (s.scale.size() > 0 ? s.mean.cwiseQuotient(s.scale).squaredNorm()
                                                : s.mean.squaredNorm());
}

/// Singular values and right vectors of `a`, the rows or a triangle of theirs.
void take_svd(Matrix<double> a, const FitOptions& options, Spectrum& s) {
  const Matrix<double> copy = a;
  const BlasThreads blas(a.cols() < 128 ? 1 : thread_count(options.threads));
  RightSvd svd = right_svd(std::move(a));
  s.eigenvalues = svd.values.array().square();
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
    case Components::Kind::fraction:
      break;
  }
  double sum = 0;
  for (Index k = 0; k < rank; ++k) {
    sum += s.eigenvalues[k];
    // A rounding error must not cost one more component.
    if (sum >= asked.fraction() * s.total * (1 - 1e-12)) return k + 1;
  }
  return rank;
}

template <class T>
Spectrum by_covariance(Passes<T>& passes, const FitOptions& options) {
  const Index d = passes.features();
  const bool fill = options.missing == Missing::mean;
  Spectrum s;
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
  s.mean = options.center ? moments.mean() : Vector<double>(Vector<double>::Zero(d));
  Matrix<double> scatter = moments.scatter(options.center);
  if (options.scale == Scale::std) {
    s.scale = scales<T>(moments.scatter_diagonal(options.center), s.mean, passes.weight(), options);
    scatter.array().colwise() /= s.scale.array();
    scatter.array().rowwise() /= s.scale.array().transpose();
  }
  s.total = scatter.trace();
  s.noise = noise_level<T>(total_second_moment(s, passes.weight()));
  require_variance(s, passes.name());

  auto pairs =
      dense_eigenpairs(scatter, wanted(passes, options), options.tolerance, options.threads);
  s.eigenvalues = pairs.values.cwiseMax(0);
  s.components = std::move(pairs.vectors);
  s.residuals = pairs.residuals / pairs.values[0];
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

namespace {

/// The scatter matrix by its products; what the first one tells is checked before it is believed.
template <class T>
struct CheckedScatter {
  ScatterOperator<T> a;
  Passes<T>& passes;
  const FitOptions& options;
  Spectrum& s;
  bool first = true;

  Index size() const { return a.size(); }
  void apply(const Matrix<double>& v, Matrix<double>& out) {
    a.apply(v, out);
    if (!std::exchange(first, false)) return;
    require_rows(passes, options);
    wanted(passes, options);
    const Vector<double> diagonal = a.diagonal();
    require_finite(diagonal, passes);
    s.mean = options.center ? a.mean() : Vector<double>(Vector<double>::Zero(size()));
    s.total = diagonal.sum();
    s.noise = noise_level<T>(total_second_moment(s, passes.weight()));
    require_variance(s, passes.name());
  }
};

/// How many of the eigenvalues found so far to keep; 0: more of them must be seen.
Index enough(const Components& asked, const Spectrum& s, const Vector<double>& values, Index all) {
  // Products with the scatter matrix hide what is smaller than their rounding.
  const double hidden = std::max(s.noise, 64 * std::numeric_limits<double>::epsilon() * values[0]);
  Index rank = 0;
  while (rank < values.size() && values[rank] > hidden) ++rank;
  const bool ended = rank < values.size() || values.size() == all;
  if (asked.kind() == Components::Kind::count) {
    require(asked.soft() || asked.count() <= rank, Errc::bad_option,
            "-k {} is more than randomized can tell from rounding: {} directions; use --solver svd",
            asked.count(), rank);
    return std::min(asked.count(), rank);
  }
  double sum = 0;
  for (Index k = 0; k < rank; ++k) {
    sum += values[k];
    if (sum >= asked.fraction() * s.total * (1 - 1e-12)) return k + 1;
  }
  return ended ? rank : 0;
}

}  // namespace

template <class T>
Spectrum by_products(Passes<T>& passes, const FitOptions& options, double budget) {
  const Index d = passes.features();
  const Components& asked = options.components;
  require(asked.kind() != Components::Kind::all, Errc::bad_option,
          "--solver randomized finds the first few components: say how many with -k");
  require(asked.kind() != Components::Kind::count || asked.soft() || asked.count() <= d,
          Errc::bad_option, "-k {} is too large: there are {} columns", asked.count(), d);
  Spectrum s;
  ScatterOptions how{.center = options.center,
                     .nan_on_shift = options.missing == Missing::mean,
                     .threads = options.threads};
  if (options.scale == Scale::std || how.nan_on_shift) {
    const Standard standard = find_standard(passes, options);
    require_rows(passes, options);
    require_finite(standard.mean, passes);
    how.shift = options.center ? standard.mean : Vector<double>(Vector<double>::Zero(d));
    s.scale = how.scale = standard.scale;
  }
  const Index first =
      std::min<Index>(d, asked.kind() == Components::Kind::count ? asked.count() : 32);
  BlockKrylov krylov{.tolerance = options.tolerance, .seed = options.seed};
  // Rows in memory cost flops, which few vectors a pass make the best of; others cost a pass.
  krylov.block = std::min<Index>(d, passes.memory() ? 16 : 32);
  krylov = within_memory(krylov, d, first, static_cast<std::size_t>(std::max(0.0, budget)));

  CheckedScatter<T> a{
      ScatterOperator<T>(
          d, [&](const auto& visit) { passes.run("products", visit); }, std::move(how)),
      passes, options, s};
  KrylovResult found = eigs_until(
      a, first, [&](const Vector<double>& values) { return enough(asked, s, values, d); }, krylov,
      {.threads = options.threads});
  s.eigenvalues = found.pairs.values.cwiseMax(0);
  s.components = std::move(found.pairs.vectors);
  s.residuals = found.pairs.residuals / s.eigenvalues[0];
  return s;
}

#define MERCER_INSTANTIATE(T)                                           \
  template Spectrum by_products(Passes<T>&, const FitOptions&, double); \
  template Spectrum by_covariance(Passes<T>&, const FitOptions&);       \
  template Spectrum by_gram(Passes<T>&, const FitOptions&);             \
  template Spectrum by_svd(Passes<T>&, const FitOptions&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
