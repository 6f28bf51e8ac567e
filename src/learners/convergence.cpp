#include "learners/convergence.hpp"

#include "learners/hebbian_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

/// What counts as converged. Where the noise of steps prevails and falls as n^-0.8, weights turn
/// between n/1.5 and n by √(1 + 1.5^1.6) = 1.7 times the error that is left: 0.7° stand for 0.4°.
constexpr double degrees = 0.7, norm = 0.02, correlation = 0.05, variance = 0.05;

/// Of the lines through two vectors, in degrees; exact for small angles too.
double angle(const Eigen::RowVectorXd& a, const Eigen::RowVectorXd& b) {
  const double na = a.norm(), nb = b.norm();
  if (!(na > 0 && nb > 0)) return 90;
  const Eigen::RowVectorXd u = a / na, v = (a.dot(b) < 0 ? -b : b) / nb;
  return 2 * std::atan2((u - v).norm(), (u + v).norm()) * 180 / M_PI;
}

}  // namespace

void judge(Convergence& c, bool compared) {
  c.converged = compared && c.angle_change <= degrees && c.norm_error <= norm &&
                c.correlation <= correlation && c.variance_error <= variance;
  c.text = fmt::format(
      "{}: turned by {:.2g} degrees since the last look, lengths within {:.2g} of 1, outputs "
      "correlated by {:.2g}, variances within {:.2g} %",
      c.converged ? "converged" : "not converged", c.angle_change, c.norm_error, c.correlation,
      100 * c.variance_error);
}

double largest_correlation(const Matrix<double>& covariance) {
  double largest = 0;
  for (Index j = 0; j < covariance.rows(); ++j)
    for (Index i = 0; i < j; ++i) {
      const double scale = std::sqrt(covariance(i, i) * covariance(j, j));
      if (scale > 0) largest = std::max(largest, std::abs(covariance(i, j)) / scale);
    }
  return largest;
}

Convergence Hebbian::look() {
  State& s = *state_;
  const Matrix<double> w = s.settled();
  const Index k = s.components();
  Convergence c;
  if (s.looked_at.size() > 0) c.angle_change = 0;
  for (Index j = 0; j < k; ++j) {
    if (s.looked_at.size() > 0)
      c.angle_change = std::max(c.angle_change, angle(w.row(j), s.looked_at.row(j)));
    c.norm_error = std::max(c.norm_error, std::abs(w.row(j).norm() - 1));
  }
  c.correlation = largest_correlation(s.covariance);
  // The same rows on both sides: what differs is how the weights were when they came.
  const auto n = static_cast<Index>(std::min<std::int64_t>(s.remembered, s.recent.rows()));
  if (n > 0) {
    const Matrix<double> y = s.recent.topRows(n) * w.transpose();
    for (Index j = 0; j < k; ++j) {
      const double quotient = y.col(j).squaredNorm() / w.row(j).squaredNorm();
      const double then = s.recent_outputs.topRows(n).col(j).squaredNorm();
      if (quotient > 0)
        c.variance_error = std::max(c.variance_error, std::abs(then / quotient - 1));
    }
  }
  judge(c, s.looked_at.size() > 0 && n > 0);
  s.looked_at = w;
  return c;
}

}  // namespace mercer
