#include "diagnostics/left_out.hpp"

#include "core/monitor.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "core/require.hpp"
#include "diagnostics/secular.hpp"
#include "linalg/lapack.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace mercer {

namespace {

constexpr Index splits = 8;  // of the rows into halves, each of which is a fit

/// All rows in a random order.
std::vector<Index> shuffled(Index n, std::uint64_t seed) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  Random random(seed);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

double at_rank(std::vector<double> values, Index rank) {
  std::nth_element(values.begin(), values.begin() + rank - 1, values.end());
  return values[static_cast<std::size_t>(rank - 1)];
}

/// T² and SPE of the other rows in units of the limits of a fit to some.
struct Relative {
  std::vector<double> t2, spe;
};
Relative relative_to_limits(const Matrix<double>& products, const std::vector<Index>& fit,
                            const std::vector<Index>& others, const FittedRows& like, Index rank) {
  const auto n = static_cast<double>(fit.size());
  const Index k = like.components;
  Matrix<double> own = products(fit, fit), cross = products(others, fit);
  Vector<double> size(cross.rows());
  for (Index i = 0; i < size.size(); ++i) {
    const Index row = others[static_cast<std::size_t>(i)];
    size[i] = products(row, row);
  }
  if (like.centered) {
    const Vector<double> mean = own.rowwise().mean(), along = cross.rowwise().mean();
    const double square = mean.mean();
    own.colwise() -= mean;
    own.rowwise() -= mean.transpose();
    own.array() += square;
    cross.colwise() -= along;
    cross.rowwise() -= mean.transpose();
    cross.array() += square;
    size += Vector<double>::Constant(size.size(), square) - 2 * along;
  }
  const SymmetricEigen pairs = symmetric_eigen(own, own.rows(), 1);
  // n entries in a row, each off by a few ε of the largest.
  const double noise = 64 * n * like.precision *
                       std::max(pairs.values[0], products.diagonal().cwiseAbs().maxCoeff());
  require(
      pairs.values[own.rows() - 1] >= -noise, Errc::invalid_kernel,
      "the kernel matrix of half of the model's rows has an eigenvalue of {:g}, beyond rounding "
      "({:g}): the kernel is not positive semi-definite; use limits of good rows",
      pairs.values[own.rows() - 1], noise);
  FittedRows half;
  half.eigenvalues = pairs.values.cwiseMax(0);  // what is negative now is rounding
  half.squares = (half.eigenvalues.asDiagonal() * pairs.vectors.cwiseAbs2()).transpose();
  half.components = k;
  half.rows = n;
  half.centered = like.centered;
  half.ddof = like.ddof;
  const LeftOutScores left = left_out_scores(half, {.threads = 1});
  const double t2_limit = at_rank({left.t2.begin(), left.t2.end()}, rank),
               spe_limit = at_rank({left.spe.begin(), left.spe.end()}, rank);
  const double rounding = n * std::numeric_limits<double>::epsilon() * half.eigenvalues[0];
  const Matrix<double> scores = cross * pairs.vectors.topRows(k).transpose();
  Relative out;
  for (Index i = 0; i < scores.rows(); ++i) {
    double t2 = 0, kept = 0;
    for (Index j = 0; j < k; ++j) {
      const double value = half.eigenvalues[j], square = scores(i, j) * scores(i, j) / value;
      const bool seen = value > rounding;
      t2 += seen ? square * (n - like.ddof) / value : std::numeric_limits<double>::infinity();
      kept += seen ? square : 0;
    }
    out.t2.push_back(std::isfinite(t2_limit) ? t2 / t2_limit
                                             : std::numeric_limits<double>::infinity());
    // Where all variance is kept, both are rounding.
    out.spe.push_back(spe_limit > 0 ? (size[i] - kept) / spe_limit : 1);
  }
  return out;
}

}  // namespace

Index level_rank(double level, Index rows) {
  const double x = level * static_cast<double>(rows + 1);
  return static_cast<Index>(std::ceil(x - 1e-9 * std::abs(x)));
}

LimitFactors factors_by_halves(const Matrix<double>& products, const FittedRows& fitted,
                               double level, const RunOptions& how) {
  const Index n = products.rows(), half = n / 2;
  if (half < fitted.components + 3) return {};
  std::vector<Relative> found(2 * splits);
  // Halves have fewer rows than some levels need: then the highest level that they have.
  const Index rank = std::min(half, level_rank(level, half));
  SharedReporter report(how.monitor, "control limits", "halves", 2.0 * splits);
  parallel_for(2 * splits, thread_count(how.threads), [&](Index b) {
    if (!report.add(1)) return;
    const std::vector<Index> order = shuffled(n, static_cast<std::uint64_t>(b / 2));
    std::vector<Index> fit(order.begin(), order.begin() + half),
        others(order.end() - half, order.end());
    if (b % 2 == 1) std::swap(fit, others);
    found[static_cast<std::size_t>(b)] = relative_to_limits(products, fit, others, fitted, rank);
  });
  const double attained = static_cast<double>(rank) / static_cast<double>(half + 1);
  const auto factor = [&](std::vector<double> Relative::*which) {
    std::vector<double> all;
    for (const Relative& r : found) all.insert(all.end(), (r.*which).begin(), (r.*which).end());
    const double at = at_rank(all, level_rank(attained, std::ssize(all)));
    return at > 0 ? std::pow(at, static_cast<double>(half) / fitted.rows) : 1;
  };
  return {factor(&Relative::t2), factor(&Relative::spe)};
}

LeftOutScores left_out_scores(const FittedRows& f, const RunOptions& how) {
  const Index n = f.squares.rows(), m = f.eigenvalues.size();
  const double rho = f.centered ? f.rows / (f.rows - 1) : 1;
  const double degrees = f.rows - 1 - f.ddof;
  // Below this an eigenvalue is rounding, and the component would not be there.
  const double rounding = f.rows * std::numeric_limits<double>::epsilon() * f.eigenvalues[0];
  LeftOutScores out{Vector<double>(n), Vector<double>(n)};
  SharedReporter report(how.monitor, "control limits", "rows", static_cast<double>(n));
  parallel_for(n, thread_count(how.threads), [&](Index i) {
    if (!report.add(1)) return;
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
