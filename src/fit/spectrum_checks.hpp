#pragma once
// What every road of linear PCA asks of the rows before it believes a number.

#include "core/require.hpp"
#include "fit/passes.hpp"
#include "fit/spectrum.hpp"
#include "operators/centred.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

template <class T>
constexpr double epsilon = std::numeric_limits<T>::epsilon();

inline double denominator(double weight, const FitOptions& options) {
  return weight - options.ddof;
}

inline void require_rows(std::int64_t rows, double weight, const std::string& name,
                         const FitOptions& options) {
  require(rows > 0, Errc::bad_data, "{} has no rows", name);
  require(rows > 1 || !options.center, Errc::bad_data,
          "{} has one row: a mean and a variance need at least two", name);
  require(denominator(weight, options) > 0, Errc::bad_data,
          "{}: the row weights add up to {:g}; variances with ddof = {} need more", name, weight,
          options.ddof);
}

template <class T>
void require_rows(const Passes<T>& passes, const FitOptions& options) {
  require_rows(passes.rows(), passes.weight(), passes.name(), options);
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

inline void require_variance(const Spectrum& s, const std::string& name) {
  require(s.total > s.noise, Errc::bad_data,
          "{}: all rows are equal, there is no variance to explain", name);
}

/// Eigenpairs to compute: those asked for, or all that can be non-zero.
inline Index wanted(std::int64_t rows, Index features, const FitOptions& options) {
  const Index rank = std::min<Index>(features, rows - (options.center ? 1 : 0));
  const Components& asked = options.components;
  if (asked.soft()) return std::min(asked.count(), rank);
  require(asked.kind() != Components::Kind::count || asked.count() <= rank, Errc::bad_option,
          "-k {} is too large: {} rows and {} columns have at most {} components", asked.count(),
          rows, features, rank);
  return asked.kind() == Components::Kind::count ? asked.count() : rank;
}

template <class T>
Index wanted(const Passes<T>& passes, const FitOptions& options) {
  return wanted(passes.rows(), passes.features(), options);
}

inline double total_second_moment(const Spectrum& s, double weight) {
  return s.total + weight * (s.scale.size() > 0 ? s.mean.cwiseQuotient(s.scale).squaredNorm()
                                                : s.mean.squaredNorm());
}

}  // namespace mercer
