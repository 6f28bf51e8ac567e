#include "solvers/missed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace mercer {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

bool nothing_beyond(const RitzSpace& space, const MatrixNorms& norms, double tau) {
  const Index m = space.values.size(), k = space.found;
  // Sums of m squares, each rounded a few times.
  const double rounding = 4e-16 * static_cast<double>(m + 8);
  const double seen = space.values.squaredNorm() + 2 * space.residuals.trace();
  // Both differences are of numbers that bound each other: below zero by more than their rounding
  // they prove nothing.
  const double squares = norms.squares - seen + rounding * norms.squares;
  const double trace = norms.trace - space.values.sum() + rounding * norms.trace;
  double unseen = infinity;
  if (squares >= 0) unseen = std::sqrt(squares);
  if (trace >= 0) unseen = std::min(unseen, trace);
  // ‖E D Eᵀ‖₂ ≤ ‖D^½ EᵀE D^½‖_F
  const Vector<double> d = (tau - space.values.tail(m - k).array()).inverse();
  const double coupled = std::sqrt(d.dot(space.residuals.cwiseAbs2() * d)) * (1 + rounding);
  return unseen + coupled < tau;
}

double shared_with_missed(const RitzSpace& space, double tau) {
  const Index m = space.values.size(), k = space.found, s = space.probes.cols();
  if (k == m) return infinity;  // nothing was seen beside them
  constexpr double step = 1.05;
  const Vector<double> theta = space.values.tail(m - k);
  const Vector<double> length = space.residuals.diagonal().cwiseSqrt();
  double worst = 0;
  // Between two λ the coefficients 1/(λ − θ) differ from a line by (step − 1)²/4 of themselves.
  for (double lambda = tau;; lambda = theta[0] + step * (lambda - theta[0])) {
    const Vector<double> d = (lambda - theta.array()).inverse();
    double exact = 0, most = 0;  // the norm, and that of the sum of all terms' lengths
    for (Index j = 0; j < s; ++j) {
      const Vector<double> x = space.probes.col(j).cwiseProduct(d);
      const double all = length.dot(x.cwiseAbs());
      // Rounding of a sum of squares that may cancel.
      exact += x.dot(space.residuals * x) + 1e-13 * all * all;
      most += all * all;
    }
    if (!(std::sqrt(most) > worst)) return worst;  // falls with λ, and bounds all that follow
    worst = std::max(worst, std::sqrt(exact) + 0.25 * (step - 1) * (step - 1) * std::sqrt(most));
  }
}

double probe_limit(Index probes, Index copies, double failure) {
  const auto n = static_cast<double>(probes), m = static_cast<double>(copies);
  if (n < m + 2) return 0;
  // The density of the smallest eigenvalue of an m×m Wishart matrix with n degrees of freedom is at
  // most L x^((n−m−1)/2) (Chen and Dongarra, SIMAX 27, 2005): integrate to x = η².
  const double log_l = 0.5 * (n - m - 1) * std::log(2.0) + std::lgamma(0.5 * (n + 1)) -
                       std::lgamma(0.5 * m) - std::lgamma(n - m + 1);
  const double power = n - m + 1;
  return std::exp((std::log(failure * power / 2) - log_l) / power);
}

Index largest_cluster(const Vector<double>& values, Index count, const Vector<double>& known,
                      double window) {
  std::vector<double> fresh;
  std::vector<char> used(static_cast<std::size_t>(known.size()), 0);
  for (Index i = 0; i < count; ++i) {
    bool seen = false;
    for (Index j = 0; j < known.size() && !seen; ++j)
      if (!used[static_cast<std::size_t>(j)] && std::abs(known[j] - values[i]) <= window) {
        used[static_cast<std::size_t>(j)] = 1;
        seen = true;
      }
    if (!seen) fresh.push_back(values[i]);
  }
  std::size_t most = 0;
  for (std::size_t i = 0, j = 0; j < fresh.size(); ++j) {  // descending: a window slides
    while (fresh[i] - fresh[j] > window) ++i;
    most = std::max(most, j - i + 1);
  }
  return static_cast<Index>(most);
}

}  // namespace mercer
