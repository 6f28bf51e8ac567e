#include "preimages/fixed_point.hpp"

#include "linalg/blas.hpp"

#include <mercer/kernel.hpp>

#include <cmath>
#include <limits>

namespace mercer {

namespace {

/// A row on its way.
struct Climb {
  Index row = 0;
  double height = -std::numeric_limits<double>::infinity();  // at x
  double part = 1;                                           // of the step that is tried
};

}  // namespace

std::vector<std::uint8_t> FixedPoint::operator()(const Matrix<double>& coefficients,
                                                 Matrix<double>& x) const {
  const Index n = x.rows(), d = x.cols(), m = anchors.rows();
  const Kernel kernel = kernels::rbf({.gamma = gamma});
  const Matrix<double> start = x;
  Matrix<double> tried = x, step = Matrix<double>::Zero(n, d), here(n, d), sums(n, d), k(n, m);
  std::vector<std::uint8_t> converged(static_cast<std::size_t>(n), 0);
  std::vector<Climb> climbs(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) climbs[static_cast<std::size_t>(i)].row = i;

  for (int iteration = 0; iteration <= iterations && !climbs.empty(); ++iteration) {
    const auto active = static_cast<Index>(climbs.size());
    for (Index i = 0; i < active; ++i)
      here.row(i) = tried.row(climbs[static_cast<std::size_t>(i)].row);
    kernel.tile<double>(Rows<double>(here).middle(0, active), Rows<double>(anchors),
                        k.topRows(active));
    for (Index i = 0; i < active; ++i)
      k.row(i).array() *= coefficients.row(climbs[static_cast<std::size_t>(i)].row).array();
    multiply(k.data(), active, m, m, anchors.data(), d, d, sums.data(), d);

    std::vector<Climb> left;
    for (Index i = 0; i < active; ++i) {
      Climb climb = climbs[static_cast<std::size_t>(i)];
      const Index r = climb.row;
      const double weight = k.row(i).sum();
      const double height = weight - penalty * gamma * (tried.row(r) - start.row(r)).squaredNorm();
      if (height >= climb.height - 1e-15) {
        x.row(r) = tried.row(r);
        climb.height = height;
        climb.part = 1;
        const double divisor = weight + penalty;
        if (!(divisor > 1e-12)) continue;  // P points away from every row: there is no way up
        step.row(r) = (sums.row(i) + penalty * start.row(r)) / divisor - x.row(r);
      } else {
        climb.part /= 2;
      }
      const double length = climb.part * step.row(r).norm() * std::sqrt(gamma);
      tried.row(r) = x.row(r) + climb.part * step.row(r);
      if (length <= tolerance) {
        converged[static_cast<std::size_t>(r)] = 1;
        if (climb.part == 1) x.row(r) = tried.row(r);
        continue;
      }
      left.push_back(climb);
    }
    climbs = std::move(left);
  }
  return converged;
}

}  // namespace mercer
