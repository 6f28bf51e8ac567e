#pragma once
// Rows for the tests of approximate kernel PCA.

#include "support/random.hpp"

#include <mercer/model.hpp>

#include <algorithm>
#include <cmath>

namespace mercer::test {

/// Clusters of very different sizes: what uniform landmarks see little of.
inline Matrix<double> clustered(Index n, Index d = 6, unsigned seed = 3) {
  Random random(seed);
  Matrix<double> x = 0.25 * random.normal(n, d);
  const Matrix<double> centres = 3 * random.normal(30, d);
  for (Index i = 0; i < n; ++i) {
    // Half of the rows in the first cluster, a quarter in the second, …, some in each.
    Index c = 0;
    while (c < 29 && random.uniform() < 0.5) ++c;
    x.row(i) += centres.row(i % 20 == 0 ? (i / 20) % 30 : c);
  }
  return x;
}

inline Matrix<double> cloud(Index n, Index d, unsigned seed = 1) {
  Random random(seed);
  Matrix<double> x = random.normal(n, d);
  for (Index j = 0; j < d; ++j) x.col(j) /= std::sqrt(static_cast<double>(j + 1));
  return x;
}

inline double up_to_sign(const Matrix<double>& a, const Matrix<double>& b) {
  double worst = 0;
  for (Index j = 0; j < a.cols(); ++j)
    worst = std::max(worst, std::min((a.col(j) - b.col(j)).cwiseAbs().maxCoeff(),
                                     (a.col(j) + b.col(j)).cwiseAbs().maxCoeff()));
  return worst;
}

inline double trace_error(const Model<double>& model) {
  return model.report().approximation->error;
}

}  // namespace mercer::test
