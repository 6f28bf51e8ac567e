#include "preimages/neighbours.hpp"

#include "linalg/lapack.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

Vector<double> located(const Matrix<double>& rows, const Vector<double>& squares) {
  const Vector<double> mean = rows.colwise().mean().transpose();
  const Matrix<double> about = rows.rowwise() - mean.transpose();
  Vector<double> given = squares - about.rowwise().squaredNorm();
  given.array() -= given.mean();
  const SymmetricEigen pairs = symmetric_eigen(about * about.transpose(), rows.rows());
  // Directions in which the rows hardly differ say nothing but noise.
  const double least = 1e-6 * std::max(pairs.values[0], 0.0);
  Vector<double> along = pairs.vectors * given;
  for (Index i = 0; i < along.size(); ++i)
    along[i] = pairs.values[i] > least ? along[i] / pairs.values[i] : 0.0;
  return mean - 0.5 * about.transpose() * (pairs.vectors.transpose() * along);
}

double squared_input_distance(double apart, double gamma, double factor) {
  // Farther than any two rows can be is taken as far as numbers tell.
  const double similarity = std::clamp(1 - apart / (2 * factor), 1e-12, 1.0);
  return -std::log(similarity) / gamma;
}

}  // namespace mercer
