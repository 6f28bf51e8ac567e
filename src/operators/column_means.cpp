#include "operators/column_means.hpp"

#include "core/parallel.hpp"
#include "operators/centred.hpp"

#include <cmath>
#include <vector>

namespace mercer {

ColumnMeans::ColumnMeans(Index columns, bool skip_nan)
    : origin_(Vector<double>::Zero(columns)),
      sum_(Vector<double>::Zero(columns)),
      weight_(Vector<double>::Zero(columns)),
      skip_nan_(skip_nan) {}

template <class T>
void ColumnMeans::add(const Rows<T>& rows, const double* weights, int threads) {
  const Index d = sum_.size();
  if (rows.rows() == 0) return;
  if (!started_ && !rows.sparse()) {
    origin_ = Eigen::Map<const Vector<T>>(rows.row(0), d).template cast<double>();
    if (skip_nan_) origin_ = origin_.array().isNaN().select(0.0, origin_);
  }
  started_ = true;

  struct Part {
    Vector<double> sum, weight;
  };
  std::vector<Part> parts(static_cast<std::size_t>(thread_count(threads)));
  const Index grain = std::max<Index>(1, 200000 / std::max<Index>(d, 1));
  parallel_ranges(rows.rows(), threads, grain, [&](Index begin, Index end, int index) {
    Part& part = parts[static_cast<std::size_t>(index)];
    part.sum.setZero(d);
    part.weight.setZero(d);
    Vector<double> x(d);
    double weight = 0;
    for (Index i = begin; i < end; ++i) {
      const double w = weights ? weights[i] : 1.0;
      centred_block(rows.middle(i, 1), 0, d, {.centre = origin_.data()}, x.data(), d);
      if (skip_nan_) {
        part.weight += w * (x.array() == x.array()).cast<double>().matrix();
        x = x.array().isNaN().select(0.0, x);
      } else {
        weight += w;
      }
      part.sum += w * x;
    }
    part.weight.array() += weight;
  });
  for (const Part& part : parts) {
    if (part.sum.size() == 0) continue;  // fewer parts than threads
    sum_ += part.sum;
    weight_ += part.weight;
  }
}

Vector<double> ColumnMeans::mean() const {
  Vector<double> out = origin_;
  for (Index j = 0; j < out.size(); ++j)
    if (weight_[j] > 0) out[j] += sum_[j] / weight_[j];
  return out;
}

template void ColumnMeans::add(const Rows<float>&, const double*, int);
template void ColumnMeans::add(const Rows<double>&, const double*, int);

}  // namespace mercer
