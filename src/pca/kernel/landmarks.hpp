#pragma once
// What the choices of landmarks share.

#include "pca/kernel/landmark_features.hpp"
#include "pca/kernel/seen_rows.hpp"

#include <mercer/approx.hpp>

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace mercer {

/// Features of all rows in blocks that begin at fixed row numbers. `visit` is called for the parts
/// of a block from all threads: `begin` is where a part begins in the block, `part` its number;
/// `after` for each block, in order, from the caller's thread.
template <class T>
struct FeatureVisit {
  std::string_view note{};  ///< for the monitor
  std::function<void(const Rows<T>& x, const double* weights, Eigen::Ref<Matrix<double>> features,
                     Index begin, Index part)>
      visit;
  std::function<void(const Rows<T>& block, const double* weights, std::int64_t first)> after;
};

template <class T>
void each_feature(SeenRows<T>& rows, const LandmarkFeatures<T>& landmarks, std::string_view what,
                  const FeatureVisit<T>& visit);

/// What there is to choose from.
template <class T>
struct Candidates {
  std::vector<SampledRow<T>> sample;  ///< rows in proportion to their weights, as they were drawn
  Index most = 0;                     ///< as many landmarks fit in memory
  double budget = 0;                  ///< bytes of working memory
};

/// Landmarks to which no more are added.
template <class T>
std::shared_ptr<const LandmarkFeatures<T>> finished(LandmarkFeatures<T> landmarks) {
  const auto out = std::make_shared<LandmarkFeatures<T>>(std::move(landmarks));
  out->finish();
  return out;
}

/// Throws for more landmarks than rows, or than `most`; `option` is the parameter's name.
template <class T>
void require_landmarks(const SeenRows<T>& rows, const char* option, Index asked, Index most);

/// Without landmarks yet; the scale of kernel values is estimated from `sample`.
template <class T>
LandmarkFeatures<T> no_landmarks(const Kernel& kernel, Index cols, bool sparse,
                                 const std::vector<SampledRow<T>>& sample);

/// The share of each row that landmarks leave out, where it is more than rounding: rows are drawn
/// by it.
template <class T>
Vector<double> unexplained(const LandmarkFeatures<T>& landmarks, const Rows<T>& x,
                           const Eigen::Ref<Matrix<double>>& features);

/// Landmarks by randomly pivoted Cholesky.
template <class T>
LandmarkFeatures<T> choose_pivots(SeenRows<T>& rows, const Kernel& kernel, const Cholesky& how,
                                  const Candidates<T>& candidates);

}  // namespace mercer
