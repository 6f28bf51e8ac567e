#include "pca/linear/spectrum.hpp"

#include "core/require.hpp"
#include "pca/intervals.hpp"
#include "pca/linear/moment_errors.hpp"
#include "pca/linear/spectrum_checks.hpp"
#include "pca/linear/triangular_factor.hpp"
#include "pca/method_cost.hpp"
#include "pca/row_sums.hpp"
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

/// Those that may be kept.
Index possible_rank(const Spectrum& s) {
  return s.keep_null && rank_of(s) > 0 ? s.eigenvalues.size() : rank_of(s);
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

Index rank_of(const Spectrum& s) {
  const auto is_noise = [&](Index i) {
    const double own = i < s.noise_of.size() ? s.noise_of[i] : 0.0;
    return !(s.eigenvalues[i] > std::max(s.noise, own));
  };
  // From the last on: what rounding explains of one direction says nothing of smaller ones.
  Index rank = s.eigenvalues.size();
  while (rank > 0 && is_noise(rank - 1)) --rank;
  return rank;
}

bool needs_rescue(const Spectrum& s, const FitOptions& options) {
  const Index kept = kept_or_none(options.components, s);
  const bool fraction = options.components.kind() == Components::Kind::fraction;
  const Index k = fraction ? kept : s.eigenvalues.size();
  if (k == 0 || s.eigenvalues[k - 1] < rescue_below * s.eigenvalues[0]) return true;
  return !(uncertainty({.values = s.eigenvalues, .residuals = s.errors, .matrix = s.rounding}, k) <=
           options.tolerance);
}

void require_semidefinite(const Vector<double>& values, RoundingBound rounding,
                          const std::string& name) {
  const double least = values.minCoeff();
  require(!(least < -rounding.proven), Errc::not_converged,
          "{}: the scatter matrix has an eigenvalue of {:.3e}, below 0 by more than its rounding "
          "error {:.1e}; use `solver=svd`",
          name, least, rounding.proven);
}

Index kept_or_none(const Components& asked, const Spectrum& s) {
  const Index rank = possible_rank(s);
  if (asked.kind() == Components::Kind::count && !asked.soft())
    return asked.count() <= rank ? asked.count() : 0;
  if (asked.kind() == Components::Kind::count) return std::min(asked.count(), rank);
  if (asked.kind() == Components::Kind::fraction) return reaching(asked.fraction(), s, rank);
  return rank;
}

Index kept_components(const Components& asked, const Spectrum& s) {
  const Index rank = possible_rank(s);
  require(rank > 0, Errc::bad_data,
          "no direction varies by more than the rounding of the numbers, so there are no "
          "components; subtract a constant from the columns before writing the file");
  switch (asked.kind()) {
    case Components::Kind::all:
    case Components::Kind::fraction:
      break;
    case Components::Kind::count:
      require(
          asked.soft() || asked.count() <= rank, Errc::bad_option,
          "`components={}` is more than the data have: only {} directions vary by more than the "
          "rounding of the numbers; use `components={}`",
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
  s.keep_null = options.keep_null;
  s.mean = options.center ? moments.mean() : Vector<double>(Vector<double>::Zero(d));
  if (options.center) s.rest = moments.mean_rest();
  Matrix<double> scatter = moments.scatter(options.center);
  s.column_scatter = scatter.diagonal();
  s.column_noise = noise_of_columns<T>(s.column_scatter, s.mean, moments.weight());
  require_variance<T>(s, name, moments.weight() != static_cast<double>(moments.rows()),
                      moments.rounding(options.center).cwiseAbs2());
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
Preprocess mean_of_columns(Passes<T>& passes, const FitOptions& options) {
  Preprocess out = means_of(passes, options);
  require_rows(passes, options);
  require_finite(out.mean, passes);
  if (!options.center) out = {.mean = Vector<double>::Zero(passes.features())};
  return out;
}

template <class T>
Spectrum begun(Passes<T>& passes, const FitOptions& options) {
  Spectrum s;
  s.keep_null = options.keep_null;
  const Preprocess at = mean_of_columns(passes, options);
  s.mean = at.mean;
  s.rest = at.rest;
  s.own_scales = options.scale == Scale::std && !options.center;
  if (s.own_scales) s.scale = find_standard(passes, options).scale;
  return s;
}

#define MERCER_INSTANTIATE(T)                                                                 \
  template Spectrum of_moments<T>(const Moments&, const std::string&, const FitOptions&, int, \
                                  const Vector<double>&);                                     \
  template Preprocess mean_of_columns(Passes<T>&, const FitOptions&);                         \
  template Spectrum begun(Passes<T>&, const FitOptions&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
