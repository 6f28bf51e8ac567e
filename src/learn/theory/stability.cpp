#include "learn/theory/stability.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace mercer {

Stability::Stability(Matrix<double> components) : components_(std::move(components)) {
  numbers_[last_angle] = 90;
}

void Stability::take(std::int64_t step, const Matrix<double>& weights, double angle) {
  if (!weights.allFinite()) return;
  double norm = 0, largest_angle = weights.rows() > components_.rows() ? 90 : 0;
  double least_mode = weights.rows() > components_.rows() ? 0 : 1e300;
  const Index k = std::min(weights.rows(), components_.rows());
  for (Index j = 0; j < k; ++j) {
    const double length = weights.row(j).stableNorm();
    norm = std::max(norm, length);
    const double along = weights.row(j).dot(components_.row(j));
    if (j == 0) numbers_[mode_most] = std::max(numbers_[mode_most], std::abs(along));
    least_mode = std::min(least_mode, std::abs(along));
    const double beside = (weights.row(j) - along * components_.row(j)).stableNorm();
    const double own = length > 0 ? std::atan2(beside, std::abs(along)) * (180 / M_PI) : 90;
    largest_angle = std::max(largest_angle, own);
  }
  const bool inside = norm <= basin_norm && least_mode >= basin_mode;
  numbers_[taken] += 1;
  numbers_[last_angle] = largest_angle;
  numbers_[norm_last] = norm;
  numbers_[norm_most] = std::max(numbers_[norm_most], norm);
  numbers_[weight_most] = std::max(numbers_[weight_most], weights.cwiseAbs().maxCoeff());
  if (inside) {
    numbers_[inside_A] += 1;
    if (numbers_[now_inside] == 0) numbers_[entered] += 1;
    if (numbers_[inside_first] == 0) numbers_[inside_first] = static_cast<double>(step);
  } else {
    numbers_[outside_last] = static_cast<double>(step);
  }
  numbers_[now_inside] = inside ? 1 : 0;
  if (largest_angle <= angle && numbers_[angle_first] == 0)
    numbers_[angle_first] = static_cast<double>(step);
}

Matrix<double> Stability::state() const {
  return Eigen::Map<const Matrix<double>>(numbers_.data(), 1, static_cast<Index>(size));
}

void Stability::restore(const Matrix<double>& state) {
  if (state.rows() != 1 || state.cols() != static_cast<Index>(size))
    throw std::out_of_range("stability");
  std::copy_n(state.data(), numbers_.size(), numbers_.begin());
}

}  // namespace mercer
