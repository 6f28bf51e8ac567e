#include "minka.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace mercer::python {

namespace {

/// Equal variances must not make a model infinitely likely.
double log_of(double difference) {
  return std::log(std::max(difference, std::numeric_limits<double>::min()));
}

}  // namespace

std::size_t minka_dimension(std::span<const double> spectrum, double rows) {
  constexpr double smallest = 1e-15;
  const std::size_t d = spectrum.size();
  double rest = 0;
  for (const double v : spectrum) rest += v;

  double best = -std::numeric_limits<double>::infinity();
  std::size_t best_k = 0;
  double log_u = 0;       // of the prior over the frames of k directions
  double log_values = 0;  // Σ log λ_i, i ≤ k
  double pairs = 0;       // Σ log (λ_i − λ_j) over i < j ≤ d, i ≤ k
  double inverses = 0;    // Σ log (1/λ_j − 1/λ_i) over i < j ≤ k
  for (std::size_t k = 1; k < d; ++k) {
    const double value = spectrum[k - 1];
    if (value < smallest) break;
    const double half = static_cast<double>(d - k + 1) / 2;
    log_u += std::lgamma(half) - std::log(std::numbers::pi) * half - std::log(2.0);
    log_values += std::log(value);
    rest -= value;
    for (std::size_t j = k; j < d; ++j) pairs += log_of(value - spectrum[j]);
    for (std::size_t i = 0; i + 1 < k; ++i) inverses += log_of(1 / value - 1 / spectrum[i]);

    const double left = static_cast<double>(d - k), kd = static_cast<double>(k);
    const double noise = std::max(smallest, rest / left);
    double to_noise = 0;
    for (std::size_t i = 0; i < k; ++i) to_noise += log_of(1 / noise - 1 / spectrum[i]);
    const double freedom = static_cast<double>(d) * kd - kd * (kd + 1) / 2;  // = number of pairs
    const double hessian = pairs + inverses + left * to_noise + freedom * std::log(rows);
    const double evidence = log_u - rows / 2 * log_values - rows * left / 2 * std::log(noise) +
                            (freedom + kd) / 2 * std::log(2 * std::numbers::pi) - hessian / 2 -
                            kd / 2 * std::log(rows);
    if (evidence > best) best = evidence, best_k = k;
  }
  return best_k;
}

}  // namespace mercer::python
