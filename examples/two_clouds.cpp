// Two clouds of points in the plane, of different size and spread, seen along their principal axes.
//
// In expectation the covariance is within·I + between·[1 1; 1 1] with
//     within  = (800/9² + 1000/6²) / 1800 = 0.0209
//     between = (1 − ½)² · 800·1000/1800² = 0.0617
// so the axes are (1, 1)/√2 with variance within + 2·between = 0.1444, and (1, −1)/√2 with 0.0209.

#include <mercer/mercer.hpp>

#include <cmath>
#include <iostream>
#include <random>

int main() {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  mercer::Matrix<double> x(1800, 2);
  for (mercer::Index i = 0; i < x.rows(); ++i)
    for (mercer::Index j = 0; j < 2; ++j)
      x(i, j) = i < 800 ? normal(random) / 9 + 0.5 : normal(random) / 6 + 1;

  const auto model = mercer::fit(x);
  const mercer::Vector<double> variance = model.explained_variance();
  std::cout << "variances " << variance.transpose() << "\naxes\n" << model.components() << '\n';

  // One component is enough to separate the clouds: the mean of all points lies between them.
  const mercer::Matrix<double> first = model.transform(x).leftCols(1);
  const auto right =
      (first.topRows(800).array() < 0).count() + (first.bottomRows(1000).array() > 0).count();
  std::cout << right << " of 1800 points are on their cloud's side of the mean\n";

  const bool as_expected =
      std::abs(variance[0] - 0.1444) < 0.01 && std::abs(variance[1] - 0.0209) < 0.002 &&
      std::abs(model.components()(0, 0) - std::sqrt(0.5)) < 0.02 && right > 1700;
  return as_expected ? 0 : 1;
}
