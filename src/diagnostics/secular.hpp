#pragma once
// Eigenvalues of a diagonal matrix Λ less ρzzᵀ: the roots μ of ρ Σ z²/(Λ − μ) = 1.

#include <cstddef>
#include <vector>

namespace mercer {

/// Λ, descending, and the squares of z.
struct SecularRow {
  std::vector<double> values, squares;
};

/// Σ z²/(Λ − μ)^power for μ = Λ_j − step.
template <int power>
double secular_sum(const SecularRow& row, std::size_t j, double step) {
  double sum = 0;
  for (std::size_t l = 0; l < row.values.size(); ++l) {
    const double gap = row.values[l] - row.values[j] + step;
    sum += row.squares[l] / (power == 1 ? gap : gap * gap);
  }
  return sum;
}

/// How far below Λ_j the j-th eigenvalue comes to lie: in (0, Λ_j − Λ_{j+1}). The secular equation
/// times the distances to both ends has no poles between them; regula falsi with Illinois' step.
inline double step_down(const SecularRow& row, std::size_t j, double rho,
                        double tolerance = 1e-13) {
  const double gap = row.values[j] - row.values[j + 1];
  double low = 0, high = gap;
  double at_low = rho * row.squares[j] * gap, at_high = -rho * row.squares[j + 1] * gap;
  double step = gap / 2;
  for (int i = 0; i < 100; ++i) {
    if (i > 0)
      step = i % 8 == 7 ? (low + high) / 2 : (low * at_high - high * at_low) / (at_high - at_low);
    if (!(step > low && step < high)) step = (low + high) / 2;
    const double value = (rho * secular_sum<1>(row, j, step) - 1) * step * (gap - step);
    const bool below = value > 0;
    if (below) {
      low = step;
      at_low = value;
      at_high /= 2;
    } else {
      high = step;
      at_high = value;
      at_low /= 2;
    }
    if (high - low <= tolerance * high || value == 0) break;
  }
  return step;
}

}  // namespace mercer
