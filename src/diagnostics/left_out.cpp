#include "diagnostics/left_out.hpp"

#include "core/parallel.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace mercer {

namespace {

/// One row: eigenvalues and squared coordinates.
struct LeftRow {
  std::vector<double> values, squares;
};

/// Σ z²/(Λ − μ)^power for μ = Λ_j − step.
template <int power>
double secular_sum(const LeftRow& row, std::size_t j, double step) {
  double sum = 0;
  for (std::size_t l = 0; l < row.values.size(); ++l) {
    const double gap = row.values[l] - row.values[j] + step;
    sum += row.squares[l] / (power == 1 ? gap : gap * gap);
  }
  return sum;
}

/// How far below Λ_j the j-th eigenvalue comes to lie: in (0, Λ_j − Λ_{j+1}). The secular equation
/// times the distances to both ends has no poles between them; regula falsi with Illinois' step.
double step_down(const LeftRow& row, std::size_t j, double rho) {
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
    if (high - low <= 1e-13 * high || value == 0) break;
  }
  return step;
}

}  // namespace

LeftOutScores left_out_scores(const FittedRows& f, int threads) {
  const Index n = f.squares.rows(), m = f.eigenvalues.size();
  const double rho = f.centered ? f.rows / (f.rows - 1) : 1;
  const double degrees = f.rows - 1 - f.ddof;
  // Below this an eigenvalue is rounding, and the component would not be there.
  const double rounding = f.rows * std::numeric_limits<double>::epsilon() * f.eigenvalues[0];
  LeftOutScores out{Vector<double>(n), Vector<double>(n)};
  parallel_for(n, thread_count(threads), [&](Index i) {
    LeftRow row;
    row.values.assign(f.eigenvalues.data(), f.eigenvalues.data() + m);
    for (Index l = 0; l < m; ++l) row.squares.push_back(f.squares(i, l));
    if (f.rest.size() > 0 && f.rest[i] > 0) {
      row.values.push_back(f.rest_eigenvalue[i]);
      row.squares.push_back(f.rest[i]);
    }
    row.values.push_back(0);  // so that every component has one below it
    row.squares.push_back(0);
    double size = 0, t2 = 0, kept = 0;
    for (const double square : row.squares) size += square;
    for (std::size_t j = 0; j < static_cast<std::size_t>(f.components); ++j) {
      // A direction that the row does not have, or one of several alike, stays as it is.
      if (!(row.squares[j] > 0) || !(row.values[j] > row.values[j + 1])) continue;
      const double step = step_down(row, j, rho), value = row.values[j] - step;
      const double square = 1 / secular_sum<2>(row, j, step);
      kept += square;
      t2 += value > rounding ? square * degrees / value : std::numeric_limits<double>::infinity();
    }
    out.t2[i] = t2;
    out.spe[i] = rho * rho * size - kept;
  });
  return out;
}

}  // namespace mercer
