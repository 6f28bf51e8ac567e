#include "pca/linear/spectrum.hpp"

#include "core/memory.hpp"
#include "core/require.hpp"
#include "core/weights.hpp"
#include "operators/column_means.hpp"
#include "operators/gram.hpp"
#include "pca/intervals.hpp"
#include "pca/linear/moment_errors.hpp"
#include "pca/linear/spectrum_checks.hpp"
#include "pca/linear/triangular_factor.hpp"
#include "pca/method_cost.hpp"
#include "pca/standard.hpp"
#include "solvers/dense.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mercer {

namespace {

/// An eigenvalue of a product AᵀA carries an error of a few ε·μ₁. Below this share of μ₁ that is
/// more than 1e-10 of it, and the rows themselves are asked.
constexpr double rescue_below = 1e-5;
/// Centring after the fact may cost as many digits and no more: in dense rows, which another pass
/// gives back, and in sparse ones, which that pass makes dense.
constexpr double dense_cancellation = 100, sparse_cancellation = 1e4;

/// Whether the rows themselves have to be asked: for small variances, or where residuals and
/// rounding exceed the tolerance.
bool needs_rescue(const Spectrum& s, const FitOptions& options) {
  const Index kept = kept_or_none(options.components, s);
  const bool fraction = options.components.kind() == Components::Kind::fraction;
  const Index k = fraction ? kept : s.eigenvalues.size();
  if (k == 0 || s.eigenvalues[k - 1] < rescue_below * s.eigenvalues[0]) return true;
  return !(uncertainty({.values = s.eigenvalues, .residuals = s.errors, .matrix = s.rounding}, k) <=
           options.tolerance);
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

/// Rows that are scaled but not centred are divided by their deviations about the mean, which no
/// sum about 0 has.
template <class T>
void take_scales_first(Passes<T>& passes, const FitOptions& options, Spectrum& s) {
  s.own_scales = options.scale == Scale::std && !options.center;
  if (s.own_scales) s.scale = find_standard(passes, options).scale;
}

/// Squares as they were summed, about the shift, by column.
Vector<double> summed_squares(const Moments& moments, bool centred) {
  return moments.rounding(centred).cwiseAbs2() / (moments.rounding_constant() * epsilon<double>);
}

/// Whether the shift has cost digits that another pass gives back.
bool lost_digits(const Moments& moments, bool sparse, const FitOptions& options) {
  if (options.center)
    return moments.cancellation() > (sparse ? sparse_cancellation : dense_cancellation);
  const Vector<double> left = moments.scatter_diagonal(false);
  const Vector<double> summed = summed_squares(moments, false);
  for (Index j = 0; j < left.size(); ++j)
    if (summed[j] > dense_cancellation * left[j]) return true;
  return false;
}

/// Computed eigenvalues of a matrix that has no negative ones.
void require_semidefinite(const Vector<double>& values, RoundingBound rounding,
                          const std::string& name) {
  const double least = values.minCoeff();
  require(!(least < -rounding.proven), Errc::not_converged,
          "{}: the scatter matrix has an eigenvalue of {:.3e}, below 0 by more than its rounding "
          "error {:.1e}; use `solver=svd`",
          name, least, rounding.proven);
}

/// What could not be known before the eigenvalues were.
void require_room(const std::string& what, double bytes, double budget) {
  require(bytes <= budget, Errc::out_of_memory,
          "{} {} of working memory in addition to the rows, and {} are allowed; use a larger "
          "`memory` or fewer `components`",
          what, format_bytes(bytes), format_bytes(std::max(0.0, budget)));
}

Index rank_of(const Spectrum& s) {
  Index rank = 0;
  for (; rank < s.eigenvalues.size(); ++rank) {
    const double own = rank < s.noise_of.size() ? s.noise_of[rank] : 0.0;
    if (!(s.eigenvalues[rank] > std::max(s.noise, own))) break;
  }
  return rank;
}

/// The first that reach the fraction; 0: none do.
Index reaching(double fraction, const Spectrum& s, Index rank) {
  double sum = 0;
  for (Index k = 0; k < rank; ++k) {
    sum += s.eigenvalues[k];
    // A rounding error must not cost one more component.
    if (sum >= fraction * s.total * (1 - 1e-12) - s.rounding.likely) return k + 1;
  }
  return 0;
}

}  // namespace

Index kept_or_none(const Components& asked, const Spectrum& s) {
  const Index rank = rank_of(s);
  if (asked.kind() == Components::Kind::count && !asked.soft())
    return asked.count() <= rank ? asked.count() : 0;
  if (asked.kind() == Components::Kind::count) return std::min(asked.count(), rank);
  if (asked.kind() == Components::Kind::fraction) return reaching(asked.fraction(), s, rank);
  return rank;
}

Index kept_components(const Components& asked, const Spectrum& s) {
  const Index rank = rank_of(s);
  require(rank > 0, Errc::bad_data,
          "no direction varies by more than the rounding of the numbers, so there are no "
          "components; subtract a constant from the columns before writing the file");
  switch (asked.kind()) {
    case Components::Kind::all:
    case Components::Kind::fraction:
      break;
    case Components::Kind::count:
      require(asked.soft() || asked.count() <= rank, Errc::bad_option,
              "`components={}` is more than the data have: only {} directions have any variance; "
              "use `components={}`",
              asked.count(), rank, rank);
      break;
    default:
      fail(Errc::bad_option,
           "`components=significant()`, `components=gavish_donoho()` and `components=minka()` need "
           "the rows: give a count, a fraction or all");
  }
  const Index kept = kept_or_none(asked, s);
  require(kept > 0 || asked.kind() != Components::Kind::fraction, Errc::bad_option,
          "`components={}`: the {} directions that can be distinguished from rounding explain "
          "{:.6g} of the variance; use a smaller fraction or `components=all_components()`",
          asked.fraction(), rank, s.eigenvalues.head(rank).sum() / s.total);
  return kept;
}

template <class T>
Spectrum of_moments(const Moments& moments, const std::string& name, const FitOptions& options,
                    int exponent, const Vector<double>& scale) {
  const Index d = moments.features();
  require_rows(moments.rows(), moments.weight(), name, options);
  Spectrum s;
  s.mean = options.center ? moments.mean() : Vector<double>(Vector<double>::Zero(d));
  Matrix<double> scatter = moments.scatter(options.center);
  s.column_scatter = scatter.diagonal();
  s.column_noise = noise_of_columns<T>(s.column_scatter, s.mean, moments.weight());
  require_variance<T>(s, name, moments.rounding(options.center).cwiseAbs2());
  if (options.scale == Scale::std) {
    // The deviations are about the mean, also where rows keep it.
    s.own_scales = scale.size() > 0;
    s.scale = s.own_scales     ? scale
              : options.center ? scales<T>(s.column_scatter, s.mean, moments.weight(), options)
                               : scales<T>(moments.scatter_diagonal(true), moments.mean(),
                                           moments.weight(), options, exponent);
    const Vector<double> divisors = take_divisors(s, static_cast<double>(moments.rows()));
    scatter.array().colwise() /= divisors.array();
    scatter.array().rowwise() /= divisors.array().transpose();
    s.column_scatter = scatter.diagonal();
    s.column_noise.array() /= divisors.array().square();
  }
  s.total = scatter.trace();
  s.squares = scatter.squaredNorm();
  const MomentErrors errors = rounding_of_moments(moments, s, options);
  s.rounding = errors.matrix;
  // A column that does not vary may be left with less than nothing.
  for (Index j = 0; j < d; ++j)
    require(!(s.column_scatter[j] < -s.rounding.proven), Errc::not_converged,
            "{}: column {} has a scatter of {:.3e}, below 0 by more than its rounding error {:.1e}",
            name, j + 1, s.column_scatter[j], s.rounding.proven);

  auto pairs = dense_eigenpairs(scatter, wanted(moments.rows(), d, options), options.tolerance,
                                options.threads);
  s.rounding = s.rounding + rounding_of_eigenpairs(d) * std::min(std::sqrt(s.squares), s.total) +
               errors.scales * (2.1 * std::abs(pairs.values[0]));
  require_semidefinite(pairs.values, s.rounding, name);
  s.eigenvalues = std::move(pairs.values);
  s.components = std::move(pairs.vectors);
  s.errors = pairs.residuals;
  s.residuals = pairs.residuals / s.eigenvalues[0];
  take_noise(s, static_cast<double>(moments.rows()));
  return s;
}

template <class T>
Spectrum by_covariance(Passes<T>& passes, const FitOptions& options) {
  const Index d = passes.features();
  const bool fill = options.missing == Missing::mean;
  const Vector<double> centre = fill ? means(passes, options) : Vector<double>();
  Moments moments = fill ? Moments(centre) : Moments(d);
  Vector<double> offset = Vector<double>::Zero(d);  // of the mean from the centre, times Σw
  const auto add = [&](const Rows<T>& rows, const double* weights) {
    moments.add(rows, as_weights(weights, rows.rows()), {.threads = options.threads});
    if (fill) add_offsets(rows, weights, centre, offset);
  };
  passes.run("covariance", add);
  require_rows(passes, options);
  require_finite(moments.scatter_diagonal(), passes);
  if (!fill && lost_digits(moments, passes.sparse(), options)) {
    // A known centre: sparse rows are made dense, block by block.
    moments = Moments(options.center ? moments.mean() : Vector<double>(Vector<double>::Zero(d)));
    passes.run("covariance", add);
    require_finite(moments.scatter_diagonal(), passes);
  }
  require_range(moments.scatter_diagonal(options.center).sum(), passes);
  // Sums about 0, as those of sparse rows, may not tell the deviations from the mean.
  const bool apart =
      options.scale == Scale::std && !options.center && moments.cancellation() > dense_cancellation;
  Spectrum s = of_moments<T>(moments, passes.name(), options, passes.exponent(),
                             apart ? find_standard(passes, options).scale : Vector<double>());
  if (fill) {
    offset /= passes.weight();
    if (s.scale.size() > 0) offset.array() /= s.scale.array();
    s.rounding = s.rounding + rounding_of_filling(offset.norm(), static_cast<double>(passes.rows()),
                                                  passes.weight(), s.total);
  }
  if (needs_rescue(s, options)) take_qr(passes, options, s, &moments);
  return s;
}

template <class T>
Spectrum by_gram(Passes<T>& passes, const FitOptions& options, double budget) {
  Spectrum s;
  s.mean = means(passes, options);
  take_scales_first(passes, options, s);
  const Index k_most = wanted(passes, options);
  const CentredRows<T> a = centred_rows(passes, s, options);
  const Gram g = gram(a, options.threads, options.monitor);
  const Matrix<double>& products = g.products;
  const double rows = static_cast<double>(passes.rows());
  s.total = products.trace();
  for (Index i = 0; i < products.rows(); ++i)  // the upper triangle is all there is
    s.squares += 2 * products.row(i).tail(products.rows() - i).squaredNorm() -
                 products(i, i) * products(i, i);
  // Taking off what is left of the mean costs four sums over the rows of the matrix, which are off
  // by their roundings times the lengths of these rows.
  s.rounding = rounding_of_sums(g.depth + 10, g.squares) +
               (options.center ? roundings(4 * (rows + 4)) * g.norm : RoundingBound{}) +
               rounding_of_eigenpairs(products.rows()) * std::sqrt(s.squares);
  if (options.missing == Missing::mean)
    s.rounding = s.rounding + rounding_of_filling(s.offset.norm(), rows, passes.weight(), s.total);

  auto pairs = dense_eigenpairs(products, k_most, options.tolerance, options.threads);
  s.rounding =
      s.rounding + 2.1 * std::abs(pairs.values[0]) *
                       rounding_of_scales(roundings(2 * rows + 16), rows, passes.weight(), options);
  require_semidefinite(pairs.values, s.rounding, passes.name());
  s.eigenvalues = std::move(pairs.values);
  s.errors = pairs.residuals;
  s.residuals = pairs.residuals / s.eigenvalues[0];
  s.noise = 16 * epsilon<double> * epsilon<double> * s.total;
  // Directions cost a product with all rows: they are asked only where noise can matter.
  const double most = most_noise(s.column_noise, rows);
  Index certain = 0;
  while (certain < k_most && s.eigenvalues[certain] > most) ++certain;
  const double n = rows, d = static_cast<double>(passes.features());
  if (needs_rescue(s, options) || certain < k_most) {
    require_room("small variances need an SVD of the rows, which takes", wide_svd_bytes(n, d),
                 budget);
    take_rows(a, passes, options, s);
    return s;
  }
  const Index k = kept_components(options.components, s);
  require_room(fmt::format("{} components of {:.0f} columns take", k, d),
               8 * (static_cast<double>(k) * d + 4 * n * n), budget);
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
  take_scales_first(passes, options, s);
  wanted(passes, options);  // a k that is too large is refused before the work
  if (passes.memory() && passes.rows() < passes.features()) {
    take_rows(centred_rows(passes, s, options), passes, options, s);
  } else {
    take_qr(passes, options, s);
  }
  return s;
}

#define MERCER_INSTANTIATE(T)                                                                 \
  template Spectrum of_moments<T>(const Moments&, const std::string&, const FitOptions&, int, \
                                  const Vector<double>&);                                     \
  template Spectrum by_covariance(Passes<T>&, const FitOptions&);                             \
  template Spectrum by_gram(Passes<T>&, const FitOptions&, double);                           \
  template Spectrum by_svd(Passes<T>&, const FitOptions&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
