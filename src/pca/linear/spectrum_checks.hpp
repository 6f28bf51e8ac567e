#pragma once
// Checks of the rows that every solver of linear PCA makes.

#include "core/require.hpp"
#include "operators/centred.hpp"
#include "pca/linear/spectrum.hpp"
#include "pca/passes.hpp"
#include "pca/row_sums.hpp"
#include "pca/weight_scale.hpp"

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
  require(rows > 0, Errc::bad_data, "{} has no rows", Input(name));
  require(rows > 1 || !options.center, Errc::bad_data,
          "{} has one row: a mean and a variance need at least two", Input(name));
  require_total_weight(weight, options.ddof);
}

template <class T>
void require_rows(const Passes<T>& passes, const FitOptions& options) {
  require_rows(passes.rows(), passes.weight(), passes.name(), options);
}

/// Sums of squares beyond these are over- or underflowing, or their squares are.
constexpr double least_total = 1e-140, largest_total = 1e140;

/// Thrown by a solver whose sums are out of range, and caught by `find_spectrum`.
struct OutOfRange {};

/// `sums`, one a column, tell whether all numbers were finite; the rows tell which was not.
template <class T>
void require_finite(const Vector<double>& sums, const Passes<T>& passes) {
  if (sums.allFinite()) return;
  require_finite_rows(passes);
  if (!passes.normalized()) throw OutOfRange{};
  for (Index j = 0; j < sums.size(); ++j)
    require(
        std::isfinite(sums[j]), Errc::bad_data,
        "{}: column {} contains a NaN, an infinity or numbers too large to square; scale it down",
        Input(passes.name()), j + 1);
}

/// The same, where missing cells are filled in and so no sum is NaN for them.
template <class T>
void require_range(double total, const Passes<T>& passes) {
  if (passes.normalized() || (total > least_total && total < largest_total)) return;
  throw OutOfRange{};
}

/// What the rounding of the data themselves can have added to the scatter of each column: numbers
/// that were rounded some ten times on their way are off by about ε of their size.
template <class T>
Vector<double> noise_of_columns(const Vector<double>& scatter, const Vector<double>& mean,
                                double weight) {
  return epsilon<T> * epsilon<T> * (scatter.cwiseAbs() + weight * mean.cwiseAbs2());
}

/// The same along a unit vector q. Errors of N rows that are independent, of variance n_j/N in
/// column j, add Σ q_j² n_j to the scatter along a direction that is given, and up to
/// (Σ |q_j| √n_j)²/N more along the one that they favour. A column orthogonal to q adds nothing,
/// for numbers of any size; `known`: the error of q.
template <class Direction>
double noise_along(const Direction& q, const Vector<double>& column_noise, double rows,
                   double known) {
  double squares = 0, sum = 0;
  for (Index j = 0; j < column_noise.size(); ++j) {
    if (std::abs(q[j]) <= known) continue;
    squares += q[j] * q[j] * column_noise[j];
    sum += std::abs(q[j]) * std::sqrt(column_noise[j]);
  }
  return squares + sum * sum / rows;
}

/// No direction has more.
inline double most_noise(const Vector<double>& column_noise, double rows) {
  return column_noise.maxCoeff() + column_noise.sum() / rows;
}

/// Whether a column varies by no more than its rounding, although its numbers differ. One unit in
/// the last place of a single row is an eighth of the noise over the rows; sums of equal numbers
/// are off by far less.
inline bool differs_by_rounding(const Spectrum& s, Index j, double rows) {
  return !(s.column_scatter[j] > s.column_noise[j]) &&
         16 * rows * s.column_scatter[j] > s.column_noise[j];
}

/// Noise of every direction that was found, and of all: the SVD itself hides what is below some ε
/// of the largest singular value. A column that varies by its rounding would hide all directions
/// that have a part of it, so its numbers are taken as exact.
inline void take_noise(Spectrum& s, double rows, double known = 64 * epsilon<double>) {
  s.noise = 16 * epsilon<double> * epsilon<double> * s.total;
  s.noise_of.resize(s.components.rows());
  s.as_exact.clear();
  Vector<double> noise = s.column_noise;
  for (Index j = 0; j < noise.size(); ++j)
    if (differs_by_rounding(s, j, rows)) {
      noise[j] = 0;
      s.as_exact.push_back(j);
    }
  for (Index i = 0; i < s.components.rows(); ++i)
    s.noise_of[i] = noise_along(s.components.row(i), noise, rows, known);
}

/// What z-scores are divided by: the scales, but infinity for columns that vary by no more than
/// their rounding, which is nothing to be scaled up to anything.
inline Vector<double> divisors_of(const Spectrum& s) {
  Vector<double> out = s.scale;
  for (Index j = 0; j < out.size(); ++j)
    if (!(s.column_scatter[j] > s.column_noise[j]))
      out[j] = std::numeric_limits<double>::infinity();
  return out;
}

/// The same for the first time; columns that are left out though their numbers differ go to `s`.
inline Vector<double> take_divisors(Spectrum& s, double rows) {
  s.as_constant.clear();
  for (Index j = 0; j < s.scale.size(); ++j)
    if (differs_by_rounding(s, j, rows)) s.as_constant.push_back(j);
  return divisors_of(s);
}

/// Rows that floats have made equal need not have been.
template <class T>
constexpr const char* in_precision() {
  return sizeof(T) == sizeof(float) ? " in single precision" : "";
}

/// Some column varies by more than its rounding, that of the data and, if known, that of its
/// sums. `weighted`: the rows have weights, which are named as a possible cause.
template <class T>
void require_variance(const Spectrum& s, const std::string& name, bool weighted,
                      const Vector<double>& errors = {}) {
  for (Index j = 0; j < s.column_scatter.size(); ++j)
    if (s.column_scatter[j] > std::max(s.column_noise[j], errors.size() > 0 ? errors[j] : 0.0))
      return;
  Index most = 0;
  const double spread = s.column_scatter.maxCoeff(&most);
  const double size = s.mean.cwiseAbs().maxCoeff();
  // Rows that are scaled on entry have no such size; those of a stream cannot be.
  require(spread > 0 || size == 0 || size > 1e-150, Errc::bad_data,
          "{}: numbers near {:.2g} have squares that underflow; multiply them by a constant",
          Input(name), size);
  require(
      spread > 0 || size > 0, Errc::bad_data,
      "{}: all rows are equal{} or differ by numbers below 1e-150, whose squares underflow: there "
      "is no variance to explain; if they differ, multiply the numbers by a constant",
      Input(name), in_precision<T>());
  require(spread > 0, Errc::bad_data, "{}: all rows are equal{}, there is no variance to explain",
          Input(name), in_precision<T>());
  require(errors.size() == 0 || !(errors[most] > s.column_noise[most]), Errc::bad_data,
          "{}: numbers near {:.2g} in column {} are so far from 0 that their sums have lost the "
          "variance; subtract a constant, or use dense rows",
          Input(name), s.mean[most], most + 1);
  require(!weighted, Errc::bad_data,
          "{}: all rows are equal up to rounding, or the weights are so unequal that a few equal "
          "rows have all of the weight: numbers near {:.2g} in column {} differ, weighted, by no "
          "more than a few units in the last place; check the `weights`",
          Input(name), s.mean[most], most + 1);
  fail(Errc::bad_data,
       "{}: all rows are equal up to rounding: numbers near {:.2g} in column {} differ by no more "
       "than a few units in the last place; subtract a constant before writing the file",
       Input(name), s.mean[most], most + 1);
}

/// Eigenpairs to compute: those asked for, or all that can be non-zero.
inline Index wanted(std::int64_t rows, Index features, const FitOptions& options) {
  const Index rank = std::min<Index>(features, rows - (options.center ? 1 : 0));
  const Components& asked = options.components;
  require(
      !options.keep_null || rank == features, Errc::bad_option,
      "`keep_null` needs more rows than features: {} rows of {} features always have directions "
      "of zero variance",
      rows, features);
  if (asked.soft()) return std::min(asked.count(), rank);
  require(asked.kind() != Components::Kind::count || asked.count() <= rank, Errc::bad_option,
          "`components={}` is too large: {} rows and {} columns have at most {} components",
          asked.count(), rows, features, rank);
  return asked.kind() == Components::Kind::count ? asked.count() : rank;
}

template <class T>
Index wanted(const Passes<T>& passes, const FitOptions& options) {
  return wanted(passes.rows(), passes.features(), options);
}

}  // namespace mercer
