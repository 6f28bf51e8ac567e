#pragma once
// What the choices of landmarks share.

#include "pca/kernel/landmark_features.hpp"
#include "pca/kernel/seen_rows.hpp"

#include <mercer/approx.hpp>

#include <memory>
#include <vector>

namespace mercer {

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

/// Landmarks by randomly pivoted Cholesky.
template <class T>
LandmarkFeatures<T> choose_pivots(SeenRows<T>& rows, const Kernel& kernel, const Cholesky& how,
                                  const Candidates<T>& candidates);

}  // namespace mercer
