#pragma once
// Rows to learn from, a run that learns, and how near it came.

#include "support/random.hpp"

#include <mercer/learn.hpp>

#include <algorithm>
#include <cmath>

namespace mercer::test {

/// Rows of four columns with deviations 3, 2, 1 and 0.3.
inline Matrix<double> cloud(Index rows, double mean = 3, std::uint64_t seed = 5) {
  Random random(seed);
  Vector<double> deviations(4);
  deviations << 3, 2, 1, 0.3;
  return rows_with_deviations(random, rows, deviations, mean);
}

inline double degrees_between(const Eigen::RowVectorXd& a, const Eigen::RowVectorXd& b) {
  return std::acos(std::min(1.0, std::abs(a.dot(b)) / a.norm() / b.norm())) * 57.29577951308232;
}

inline LearnOptions gha(Index k) {
  LearnOptions o;
  o.learner.rule = "gha";
  o.learner.components = k;
  o.learner.threads = 1;
  return o;
}

}  // namespace mercer::test
