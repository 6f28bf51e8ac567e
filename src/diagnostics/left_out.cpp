#include "diagnostics/left_out.hpp"

#include "core/parallel.hpp"
#include "diagnostics/secular.hpp"

#include <limits>

namespace mercer {

LeftOutScores left_out_scores(const FittedRows& f, int threads) {
  const Index n = f.squares.rows(), m = f.eigenvalues.size();
  const double rho = f.centered ? f.rows / (f.rows - 1) : 1;
  const double degrees = f.rows - 1 - f.ddof;
  // Below this an eigenvalue is rounding, and the component would not be there.
  const double rounding = f.rows * std::numeric_limits<double>::epsilon() * f.eigenvalues[0];
  LeftOutScores out{Vector<double>(n), Vector<double>(n)};
  parallel_for(n, thread_count(threads), [&](Index i) {
    SecularRow row;
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
