#include "learn/run/learn_moment.hpp"

#include "core/parallel.hpp"
#include "linalg/blas.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace mercer {

namespace {

constexpr Index moment_parts = 8;  // whatever the threads: sums are kept apart for so many
constexpr Index least_rows = 64;   // of a part; at once, fewer where they are wide

struct MomentSums {
  Matrix<double> yx;
  Vector<double> x;
  double square = 0, weight = 0;
};

}  // namespace

RowsMoment::RowsMoment(const Rows<double>& rows, const double* weights, const Standard* standard,
                       std::shared_ptr<const Map<double>> map, LearnedMean centre,
                       Vector<double> about, int threads)
    : rows_(rows),
      weights_(weights),
      standard_(standard),
      map_(std::move(map)),
      centre_(centre),
      about_(std::move(about)),
      threads_(threads) {}

Matrix<double> RowsMoment::times(const Matrix<double>& v, const Matrix<double>&) {
  const Index n = rows_.rows(), k = v.rows(), d = v.cols();
  const Index parts = std::clamp<Index>(n / least_rows, 1, moment_parts);
  const Index moment_rows = std::clamp<Index>((Index{1} << 18) / d, 1, least_rows);
  std::vector<MomentSums> sums(static_cast<std::size_t>(parts));
  const BlasThreads one(1);
  parallel_for(parts, thread_count(threads_), [&](Index p) {
    MomentSums& s = sums[static_cast<std::size_t>(p)];
    s.yx.setZero(k, d);
    s.x.setZero(d);
    Matrix<double> f(moment_rows, d), y(k, moment_rows);
    Vector<double> w(moment_rows);
    for (Index first = n * p / parts, end = n * (p + 1) / parts; first < end;) {
      const Index count = std::min(moment_rows, end - first);
      const Rows<double> part = rows_.middle(first, count);
      const Matrix<double> copy = standard_ ? (*standard_)(part) : Matrix<double>();
      map_->apply(standard_ ? Rows<double>(copy) : part, f.topRows(count));
      for (Index r = 0; r < count; ++r) {
        w[r] = weights_ ? weights_[first + r] : 1;
        f.row(r) -= about_.transpose();
        if (f.row(r).allFinite()) continue;
        f.row(r).setZero();
        w[r] = 0;
      }
      multiply_transposed(v.data(), k, d, d, f.data(), count, d, y.data(), moment_rows);
      y.leftCols(count) *= w.head(count).asDiagonal();
      multiply(y.data(), k, count, moment_rows, f.data(), d, d, s.yx.data(), d, true);
      s.x += f.topRows(count).transpose() * w.head(count);
      s.square += f.topRows(count).rowwise().squaredNorm().dot(w.head(count));
      s.weight += w.head(count).sum();
      first += count;
    }
  });
  MomentSums& all = sums[0];
  for (Index p = 1; p < parts; ++p) {
    const MomentSums& s = sums[static_cast<std::size_t>(p)];
    all.yx += s.yx;
    all.x += s.x;
    all.square += s.square;
    all.weight += s.weight;
  }
  all.yx /= all.weight;
  all.x /= all.weight;
  trace_ = all.square / all.weight;
  if (centre_ == LearnedMean::running) {
    all.yx -= (v * all.x) * all.x.transpose();
    trace_ -= all.x.squaredNorm();
  }
  return std::move(all.yx);
}

}  // namespace mercer
