#include "preimages/neighbours.hpp"

#include "kernels/node.hpp"
#include "linalg/lapack.hpp"

#include <algorithm>

namespace mercer {

namespace {

constexpr double vanishing = 1e-12;  // of k(x, x): rows are no farther apart
constexpr int halvings = 80;         // of a bracket, to the last bits

}  // namespace

Vector<double> located(const Matrix<double>& rows, const Vector<double>& squares) {
  const Vector<double> mean = rows.colwise().mean().transpose();
  const Matrix<double> about = rows.rowwise() - mean.transpose();
  Vector<double> given = squares - about.rowwise().squaredNorm();
  given.array() -= given.mean();
  const SymmetricEigen pairs = symmetric_eigen(about * about.transpose(), rows.rows());
  // Directions in which the rows hardly differ contain only noise.
  const double least = 1e-6 * std::max(pairs.values[0], 0.0);
  Vector<double> along = pairs.vectors * given;
  for (Index i = 0; i < along.size(); ++i)
    along[i] = pairs.values[i] > least ? along[i] / pairs.values[i] : 0.0;
  return mean - 0.5 * about.transpose() * (pairs.vectors.transpose() * along);
}

InputDistances::InputDistances(Kernel kernel) : kernel_(std::move(kernel)) {
  if (const auto gaussian = kernel_.node()->gaussian()) gamma_ = gaussian->gamma;
  peak_ = at(Vector<double>::Zero(1))[0];
  while (farthest_ < 1e100 && at(Vector<double>::Constant(1, farthest_))[0] > vanishing * peak_)
    farthest_ *= 2;
}

Vector<double> InputDistances::at(const Vector<double>& distances) const {
  // It sees nothing but the distance, so one column does.
  const Matrix<double> origin = Matrix<double>::Zero(1, 1), points = distances;
  Matrix<double> out(1, distances.size());
  kernel_.tile<double>(Rows<double>(origin), Rows<double>(points), out);
  return out.row(0).transpose();
}

Vector<double> InputDistances::operator()(const Vector<double>& apart) const {
  // Farther than any two rows can be is taken as far as numbers tell.
  const Vector<double> similarity =
      (1 - apart.array() / (2 * peak_)).cwiseMax(vanishing).cwiseMin(1.0);
  if (gamma_) return -similarity.array().log() / *gamma_;
  Vector<double> low = Vector<double>::Zero(apart.size());
  Vector<double> high = Vector<double>::Constant(apart.size(), std::min(1.0, farthest_));
  // A kernel may fall over dozens of orders: each point gets its own bracket.
  for (bool wider = true; wider;) {
    const Vector<double> found = at(high) / peak_;
    wider = false;
    for (Index j = 0; j < apart.size(); ++j)
      if (found[j] > similarity[j] && high[j] < farthest_) {
        low[j] = high[j];
        high[j] = std::min(2 * high[j], farthest_);
        wider = true;
      }
  }
  for (int i = 0; i < halvings; ++i) {
    const Vector<double> middle = (low + high) / 2, found = at(middle) / peak_;
    for (Index j = 0; j < apart.size(); ++j) (found[j] > similarity[j] ? low : high)[j] = middle[j];
  }
  return high.cwiseAbs2();
}

}  // namespace mercer
