#pragma once
// Which rows become landmarks.

#include "fit/landmark_features.hpp"
#include "fit/seen_rows.hpp"

#include <mercer/approx.hpp>

#include <functional>
#include <vector>

namespace mercer {

/// Features of all rows, made on all threads a block at a time. `visit` is called from those
/// threads, with its thread's number and where the block begins in the piece; `before` and `after`
/// around each piece, from the caller's.
template <class T>
struct FeatureVisit {
  std::function<void(const Rows<T>& x, const double* weights, Index begin, Matrix<double>& features,
                     int thread)>
      visit;
  std::function<void(const Rows<T>& piece)> before{};
  std::function<void(const Rows<T>& piece, const double* weights, std::int64_t first)> after{};
};

template <class T>
void each_feature(SeenRows<T>& rows, const LandmarkFeatures<T>& landmarks, std::string_view what,
                  const FeatureVisit<T>& visit);

/// What there is to choose from.
template <class T>
struct Candidates {
  std::vector<SampledRow<T>> sample;  ///< rows in proportion to their weights, as they were drawn
  Index most = 0;                     ///< as many landmarks fit in memory
};

/// As many sampled rows as a choice wants to see.
Index sample_wanted(const Nystrom& how);

template <class T>
LandmarkFeatures<T> choose_landmarks(SeenRows<T>& rows, const Kernel& kernel, const Nystrom& how,
                                     const Candidates<T>& candidates);
template <class T>
LandmarkFeatures<T> choose_landmarks(SeenRows<T>& rows, const Kernel& kernel, const Cholesky& how,
                                     const Candidates<T>& candidates);

}  // namespace mercer
