#include "pca/kernel/landmarks.hpp"

#include "core/parallel.hpp"
#include "core/require.hpp"
#include "linalg/blas.hpp"

#include <algorithm>

namespace mercer {

template <class T>
void require_landmarks(const SeenRows<T>& rows, const char* option, Index asked, Index most) {
  const auto n = static_cast<Index>(rows.passes().rows());
  require(asked <= n, Errc::bad_option, "`approx`: {}={} is more than the {} rows of {}", option,
          asked, n, rows.passes().name());
  require(asked <= most, Errc::out_of_memory,
          "`approx`: {}={} does not fit in memory, {} would; use a larger `memory`", option, asked,
          most);
}

template <class T>
LandmarkFeatures<T> no_landmarks(const Kernel& kernel, Index cols, bool sparse,
                                 const std::vector<SampledRow<T>>& sample) {
  double largest = 0;
  for (const SampledRow<T>& row : sample) {
    RowList<double> one(cols, sparse);
    one.push_back(row);
    largest = std::max(largest, std::abs(kernel.diagonal(one.rows())[0]));
  }
  return LandmarkFeatures<T>(kernel, cols, sparse, scale_for(largest));
}

template <class T>
Vector<double> unexplained(const LandmarkFeatures<T>& landmarks, const Rows<T>& x,
                           const Eigen::Ref<Matrix<double>>& features) {
  const Vector<double> whole = landmarks.whole(x);
  const double share = LandmarkFeatures<T>::noise(std::max<Index>(1, landmarks.size()));
  Vector<double> left = whole - squared_lengths(features);
  for (Index i = 0; i < left.size(); ++i)
    if (left[i] <= share * whole[i]) left[i] = 0;
  return left;
}

template <class T>
void each_feature(SeenRows<T>& rows, const LandmarkFeatures<T>& landmarks, std::string_view what,
                  const FeatureVisit<T>& v) {
  const BlasThreads one(1);
  const Index m = landmarks.size();
  AlignedRows<T> aligned(feature_block(m, rows.cols()), rows.cols());
  Matrix<double> features(feature_block(m, rows.cols()), m);
  const auto take = [&](const Rows<T>& block, const double* weights, std::int64_t first) {
    each_part(block.rows(), m, rows.cols(), rows.options().threads,
              [&](Index begin, Index n, Index part) {
                const Rows<T> x = block.middle(begin, n);
                auto f = features.middleRows(begin, n);
                landmarks.sections(x, f);
                landmarks.solve(f);
                v.visit(x, weights ? weights + begin : nullptr, f, begin, part);
              });
    v.after(block, weights, first);
  };
  rows.run(
      what,
      [&](const Rows<T>& piece, const double* weights, std::int64_t) {
        aligned.add(piece, weights, take);
      },
      v.note);
  aligned.rest(take);
}

#define MERCER_INSTANTIATE(T)                                                            \
  template void require_landmarks(const SeenRows<T>&, const char*, Index, Index);        \
  template LandmarkFeatures<T> no_landmarks(const Kernel&, Index, bool,                  \
                                            const std::vector<SampledRow<T>>&);          \
  template Vector<double> unexplained(const LandmarkFeatures<T>&, const Rows<T>&,        \
                                      const Eigen::Ref<Matrix<double>>&);                \
  template void each_feature(SeenRows<T>&, const LandmarkFeatures<T>&, std::string_view, \
                             const FeatureVisit<T>&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
