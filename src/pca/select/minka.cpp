#include "core/require.hpp"
#include "pca/select/significance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace mercer {

namespace {

/// log of the difference of two numbers of this size. Between equal ones any direction is as good
/// as another: they count as apart by what `rows` can tell, or a number of components that cuts
/// between them would be infinitely likely.
double log_gap(double difference, double size, double rows) {
  return std::log(difference > 1e-8 * size ? difference : size / std::sqrt(rows));
}

}  // namespace

Vector<double> minka_evidence(const Vector<double>& variances, double rows) {
  const Index d = variances.size();
  require(
      d >= 2 && variances[0] > 0, Errc::bad_data,
      "`components=minka()` needs two columns or more, and some variance in them; give a number of "
      "components (`components`)");
  const double smallest = 1e-15 * variances[0];  // noise of no variance would be infinitely likely
  Vector<double> tail = variances;               // Σ λ_j, j ≥ i
  for (Index i = d - 1; i-- > 0;) tail[i] += tail[i + 1];

  Vector<double> evidence(d - 1);
  double log_u = 0;       // of the prior over the frames of k directions
  double log_values = 0;  // Σ log λ_i, i ≤ k
  double pairs = 0;       // Σ log (λ_i − λ_j) over i < j ≤ d, i ≤ k
  double inverses = 0;    // Σ log (1/λ_j − 1/λ_i) over i < j ≤ k
  for (Index k = 1; k < d; ++k) {
    const double value = variances[k - 1];
    if (value < smallest) {
      evidence.tail(d - k).setConstant(-std::numeric_limits<double>::infinity());
      break;
    }
    const double half = static_cast<double>(d - k + 1) / 2;
    log_u += std::lgamma(half) - std::log(std::numbers::pi) * half - std::log(2.0);
    log_values += std::log(value);
    for (Index j = k; j < d; ++j) pairs += log_gap(value - variances[j], value, rows);
    for (Index i = 0; i + 1 < k; ++i)
      inverses += log_gap(1 / value - 1 / variances[i], 1 / value, rows);

    const auto left = static_cast<double>(d - k), count = static_cast<double>(k);
    const double noise = std::max(smallest, tail[k] / left);
    double to_noise = 0;
    for (Index i = 0; i < k; ++i)
      to_noise += log_gap(1 / noise - 1 / variances[i], 1 / noise, rows);
    const double freedom = static_cast<double>(d) * count - count * (count + 1) / 2;
    const double hessian = pairs + inverses + left * to_noise + freedom * std::log(rows);
    evidence[k - 1] = log_u - rows / 2 * log_values - rows * left / 2 * std::log(noise) +
                      (freedom + count) / 2 * std::log(2 * std::numbers::pi) - hessian / 2 -
                      count / 2 * std::log(rows);
  }
  return evidence;
}

template <class T>
Model<T> cut_by_minka(const Model<T>& all) {
  const Report& report = all.report();
  const Index d = all.map().features();
  require(report.weight >= static_cast<double>(d), Errc::bad_data,
          "`components=minka()` needs as many rows as columns, {}: it measures the noise in every "
          "direction; "
          "use `components=significant()`",
          d);
  // Variances that the fit left out as rounding are zeros.
  Vector<double> variances = Vector<double>::Zero(d);
  variances.head(all.outputs()) = all.explained_variance();
  Index best = 0;
  minka_evidence(variances, report.weight).maxCoeff(&best);
  return with_first(all, best + 1, "minka",
                    fmt::format("of 1 to {} components {} {} the most evidence", d - 1, best + 1,
                                best == 0 ? "has" : "have"));
}

template Model<float> cut_by_minka(const Model<float>&);
template Model<double> cut_by_minka(const Model<double>&);

}  // namespace mercer
