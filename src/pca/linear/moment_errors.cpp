#include "pca/linear/moment_errors.hpp"

#include "linalg/blas.hpp"
#include "pca/linear/spectrum_checks.hpp"
#include "pca/linear/triangular_factor.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

/// Bounds that moments give are proven; random errors add up to their root only.
RoundingBound bound_of(const Moments& moments, double proven) {
  const double depth = 2 * moments.rounding_constant();  // ε = 2u
  const RoundingBound one = roundings(depth);
  return {proven, proven * std::min(1.0, one.likely / (depth * unit_roundoff))};
}

/// Independent errors |δ_ij| ≤ √(e_i e_j) have a 2-norm of some 2·max_i √(e_i Σe_j) (Bandeira and
/// van Handel, Ann. Probab. 44, 2016), where it is Σe when they add up; 4 leaves room for its
/// deviations.
double share_of_independent(const Vector<double>& e) {
  return e.sum() > 0 ? std::min(1.0, 4 * std::sqrt(e.maxCoeff() / e.sum())) : 1.0;
}

/// The largest error of a deviation's square, relative to it, where rows are scaled but not
/// centred. A column that is certain to be constant has the deviation 1, which is not off at all.
double lost_about_mean(const Moments& moments) {
  const Vector<double> scatter = moments.scatter_diagonal(true), mean = moments.mean();
  const Vector<double> errors = moments.rounding(true).cwiseAbs2();
  double lost = 0;
  for (Index j = 0; j < scatter.size(); ++j) {
    const double second = scatter[j] + moments.weight() * mean[j] * mean[j];
    if (!is_constant(scatter[j] + errors[j], second, epsilon<double>))
      lost = std::max(lost, errors[j] / scatter[j]);
  }
  return lost;
}

}  // namespace

MomentErrors rounding_of_moments(const Moments& moments, const Spectrum& s,
                                 const FitOptions& options) {
  Vector<double> errors = moments.rounding(options.center).cwiseAbs2();  // |δS_ij| ≤ √(e_i e_j)
  double lost = 0;  // the largest error of a column that varies, relative to its scatter
  for (Index j = 0; j < errors.size() && s.scale.size() > 0; ++j) {
    errors[j] /= s.scale[j] * s.scale[j];
    if (s.column_scatter[j] > s.column_noise[j])
      lost = std::max(lost, errors[j] / s.column_scatter[j]);
    else errors[j] = 0;  // it is left out
  }
  // Compensated sums about the mean are off by a few units in the last place.
  if (s.scale.size() > 0 && !options.center)
    lost = s.own_scales ? 16 * unit_roundoff : lost_about_mean(moments);
  RoundingBound matrix = bound_of(moments, errors.sum());
  matrix.likely *= share_of_independent(errors);
  return {matrix, rounding_of_scales(bound_of(moments, lost), static_cast<double>(moments.rows()),
                                     moments.weight(), options)};
}

RoundingBound rounding_of_sums(double depth, const Vector<double>& squares) {
  RoundingBound out = roundings(depth) * squares.sum();
  out.likely *= share_of_independent(squares);
  return out;
}

double norm_of(const Spectrum& s) {
  return s.squares > least_squares ? std::min(std::sqrt(s.squares), s.total) : s.total;
}

RoundingBound rounding_of_eigenpairs(Index n) { return roundings(8 * static_cast<double>(n) + 16); }

void hold_against(const Moments& moments, Matrix<double> r, const FitOptions& options,
                  Spectrum& s) {
  const BlasThreads one(1);
  const Index d = r.cols();
  Matrix<double> apart = moments.scatter(options.center);
  if (s.scale.size() > 0) {
    const Vector<double> divisors = divisors_of(s);
    apart.array().colwise() /= divisors.array();
    apart.array().rowwise() /= divisors.array().transpose();
  }
  const MomentErrors errors = rounding_of_moments(moments, s, options);
  Matrix<double> squares = Matrix<double>::Zero(d, d);
  add_inner_products(r.data(), r.rows(), d, d, squares);
  apart -= squares;
  apart.triangularView<Eigen::StrictlyLower>().setZero();
  const double norm = apart.norm() > 1e-140 ? apart.norm() : apart.stableNorm();
  const double distance = std::sqrt(2.0) * norm;  // the triangle counts twice
  // The scales are those of R, or of the moments: their columns differ by so much of themselves.
  double columns = 0;
  for (Index j = 0; j < d; ++j)
    if (s.scale.size() > 0 && s.column_scatter[j] > s.column_noise[j])
      columns = std::max(columns, std::abs(apart(j, j)) / s.column_scatter[j]);
  const double first = s.eigenvalues[0];
  s.rounding = errors.matrix + RoundingBound{distance, distance} +
               rounding_of_sums(static_cast<double>(d) + 4, s.column_scatter) +
               rounding_of_eigenpairs(d) * norm_of(s) +
               (errors.scales + RoundingBound{columns, columns}) * (2.1 * first);
  s.checked = true;
}

}  // namespace mercer
