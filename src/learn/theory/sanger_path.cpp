#include "learn/theory/sanger_path.hpp"

#include "learn/theory/theory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

/// Multiplications, and evaluations of the slope: about two seconds.
constexpr double most_work = 4e9;
constexpr double most_evaluations = 2e6;
/// Between two looks at the angle, in units of 1/λ₁: as long as the weights turn fast, a part of
/// the time so far.
constexpr double longest_look = 2, shortest_look = 1e-3, share_of_look = 0.05;

}  // namespace

SangerPath::SangerPath(Vector<double> lambda, Matrix<double> start, double tolerance)
    : lambda_(std::move(lambda)),
      run_(
          std::move(start),
          [this](const Matrix<double>& theta, Matrix<double>& slope) {
            ++evaluations_;
            gha_slope(lambda_, theta, slope);
          },
          tolerance) {}

double SangerPath::bisect(double low, double step, Matrix<double> from, double high,
                          const std::function<bool(const Matrix<double>&)>& there) {
  for (int i = 0; i < 60 && high - low > 1e-13 * high; ++i) {
    const double middle = low + (high - low) / 2;
    run_.restore(low, step, from);
    run_.advance(middle);
    if (there(run_.y())) {
      high = middle;
    } else {
      low = middle;
      step = run_.step();
      from = run_.y();
    }
  }
  return high;
}

double SangerPath::first_time(double last,
                              const std::function<bool(const Matrix<double>& theta)>& there) {
  const double unit = 1 / lambda_[0];
  const auto k = static_cast<double>(run_.y().rows()), p = static_cast<double>(run_.y().cols());
  const double most = std::min(most_evaluations, most_work / (2 * k * (k + 1) * p));
  if (there(run_.y())) return run_.time();
  while (run_.time() < last) {
    if (static_cast<double>(evaluations_) > most) return std::numeric_limits<double>::quiet_NaN();
    const double low = run_.time(), step = run_.step();
    const Matrix<double> from = run_.y();
    run_.advance(low + std::clamp(share_of_look * low, shortest_look * unit, longest_look * unit));
    if (there(run_.y())) return bisect(low, step, from, run_.time(), there);
  }
  return std::numeric_limits<double>::infinity();
}

double sanger_tolerance(const Vector<double>& lambda, const Matrix<double>& start, double radians,
                        double slowest) {
  // The smallest pivot of the first columns: what the span of the first j has of q_j. Errors of the
  // steps must be small beside it, because they grow with it.
  Matrix<double> a = start.leftCols(std::min(start.rows(), start.cols()));
  for (Index j = 0; j < a.rows(); ++j)
    if (const double norm = start.row(j).norm(); norm > 0) a.row(j) /= norm;
  double smallest = 1;
  for (Index j = 0; j < std::min(a.rows(), a.cols()); ++j) {
    const double pivot = a(j, j);
    if (pivot == 0) continue;
    smallest = std::min(smallest, std::abs(pivot));
    for (Index i = j + 1; i < a.rows(); ++i) a.row(i) -= a(i, j) / pivot * a.row(j).eval();
  }
  const double wanted = 1e-5 * std::min({radians, smallest, slowest / lambda[0]});
  return std::clamp(wanted, 1e-13, 1e-9);
}

}  // namespace mercer
