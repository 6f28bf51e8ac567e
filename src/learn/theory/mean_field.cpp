#include "learn/theory/mean_field.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mercer {

namespace {
constexpr Index most_sampled = 512;
}

MeanField::MeanField(Vector<double> mean, Matrix<double> points, Index rows, bool alternate)
    : mean_(std::move(mean)),
      points_(std::move(points)),
      rows_(rows),
      alternate_(alternate),
      sample_(std::min(rows, most_sampled), mean_.size()),
      halves_(static_cast<std::size_t>(2 * points_.rows())) {
  for (Half& half : halves_) half.sum = half.square_sum = Vector<double>::Zero(mean_.size());
}

void MeanField::add(const double* features, double weight) {
  const Vector<double> x = Eigen::Map<const Vector<double>>(features, mean_.size()) - mean_;
  if (!x.allFinite() || !(weight > 0)) return;
  const Index at = seen_++;
  longest_ = std::max(longest_, x.squaredNorm());
  if (sampled_ < sample_.rows() && at * sample_.rows() >= sampled_ * rows_)
    sample_.row(sampled_++) = x.transpose();
  const std::size_t which = (alternate_ ? at % 2 == 0 : 2 * at < rows_) ? 0 : 1;
  for (Index p = 0; p < points_.rows(); ++p) {
    const auto w = points_.row(p).transpose();
    const double y = w.dot(x);
    const Vector<double> h = y * (x - y * w);
    Half& half = halves_[2 * static_cast<std::size_t>(p) + which];
    half.sum += weight * h;
    half.square_sum += (weight * weight) * h;
    half.squares += weight * weight * h.squaredNorm();
    half.weight += weight;
    half.weight_square += weight * weight;
  }
}

double MeanField::Half::variance() const {
  const Vector<double> m = mean();
  return (squares - 2 * m.dot(square_sum) + m.squaredNorm() * weight_square) / (weight * weight);
}

double MeanField::difference(Index point) const {
  const Half &a = half(0, point), &b = half(1, point);
  return a.weight > 0 && b.weight > 0 ? (a.mean() - b.mean()).norm() : 0;
}

double MeanField::ratio(Index point) const {
  const Half &a = half(0, point), &b = half(1, point);
  if (!(a.weight > 0 && b.weight > 0)) return 0;
  const double variance = a.variance() + b.variance();
  const double distance = difference(point);
  // Where all rows have the same h, the difference is rounding.
  return variance > 1e-24 * longest_ * longest_ ? distance / std::sqrt(variance) : 0;
}

}  // namespace mercer
