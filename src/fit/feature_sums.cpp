#include "fit/feature_sums.hpp"

#include "core/parallel.hpp"
#include "fit/sample_error.hpp"
#include "linalg/blas.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace mercer {

namespace {

/// Sums of similarities are turned into sums of features when that costs no more than this; beyond,
/// each row is turned before it is summed, for as many flops again.
constexpr double cheap_loss = 1e-10;

double sum(const std::vector<double>& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

}  // namespace

template <class T>
FeatureSums<T>::FeatureSums(FeatureSpace<T> space, int threads)
    : space_(std::move(space)), threads_(thread_count(threads)) {
  const auto many = static_cast<std::size_t>(threads_);
  raw_ = space_.landmarks &&
         space_.landmarks->condition() * std::numeric_limits<double>::epsilon() <= cheap_loss;
  parts_.assign(many,
                Moments(space_.landmarks ? space_.landmarks->size() : space_.map->features()));
  trace_.assign(many, 0.0);
  left_.assign(many, 0.0);
}

template <class T>
void FeatureSums<T>::add(const Rows<T>& rows, const double* weights) {
  const BlasThreads one(1);
  const Index m = parts_[0].features();
  const Index block = feature_block(m);
  parallel_ranges(rows.rows(), threads_, 64, [&](Index begin, Index end, int thread) {
    const auto t = static_cast<std::size_t>(thread);
    Matrix<double> features;
    Matrix<T> mapped;
    for (Index i = begin; i < end; i += block) {
      const Rows<T> x = rows.middle(i, std::min(block, end - i));
      const double* w = weights ? weights + i : nullptr;
      const Vector<double> whole = space_.kernel.diagonal(x).template cast<double>();
      for (Index r = 0; r < x.rows(); ++r) trace_[t] += (w ? w[r] : 1.0) * whole[r];
      if (!space_.landmarks) {
        mapped.resize(x.rows(), m);
        space_.map->apply(x, mapped);
        parts_[t].add(Rows<T>(mapped), w, 1);
        continue;
      }
      space_.landmarks->sections(x, features);
      if (!raw_) {
        space_.landmarks->solve(features);
        const Vector<double> left = space_.landmarks->left_out(x, features);
        for (Index r = 0; r < x.rows(); ++r) left_[t] += (w ? w[r] : 1.0) * left[r];
      }
      parts_[t].add(Rows<double>(features), w, 1);
    }
  });
}

template <class T>
std::int64_t FeatureSums<T>::rows() const {
  std::int64_t n = 0;
  for (const Moments& part : parts_) n += part.rows();
  return n;
}

template <class T>
double FeatureSums<T>::weight() const {
  double w = 0;
  for (const Moments& part : parts_) w += part.weight();
  return w;
}

template <class T>
typename FeatureSums<T>::Result FeatureSums<T>::result(bool center) const {
  Moments all = parts_[0];
  for (std::size_t t = 1; t < parts_.size(); ++t) all.merge(parts_[t]);
  if (space_.landmarks) return of_landmarks(all, center);
  return {space_.map, all.mean(), all.scatter(center), sum(trace_),
          sample_error(space_.kernel, *space_.map, space_.sample, space_.cols, space_.sparse,
                       all.weight())};
}

template <class T>
typename FeatureSums<T>::Result FeatureSums<T>::of_landmarks(const Moments& moments,
                                                             bool center) const {
  const LandmarkFeatures<T>& landmarks = *space_.landmarks;
  Result out;
  out.mean = moments.mean();
  out.scatter = moments.scatter(center);
  const double trace = out.trace = sum(trace_);
  double left = sum(left_);
  if (raw_) {
    out.scatter = landmarks.congruent(out.scatter);
    // ‖Σ‖ about the origin is that about the mean, and the mean's own.
    double explained = out.scatter.trace();
    if (center) explained += moments.weight() * landmarks.solved(out.mean).squaredNorm();
    left = std::max(0.0, trace - explained);
  } else {
    out.mean = landmarks.sections_of(out.mean);
  }
  // K − K̂ has no negative eigenvalue: its trace is its trace norm and bounds every eigenvalue.
  out.error.rank = landmarks.size();
  out.error.error = left / trace;
  out.error.above = left;
  out.map = std::visit(
      [&](auto anchors) { return kernel_map<T>(landmarks.kernel(), std::move(anchors)); },
      landmarks.anchors());
  return out;
}

template <class T>
Matrix<double> FeatureSums<T>::unmapped(Matrix<double> b) const {
  return space_.landmarks ? space_.landmarks->unsolve(std::move(b)) : b;
}

template class FeatureSums<float>;
template class FeatureSums<double>;

}  // namespace mercer
