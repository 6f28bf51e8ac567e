#pragma once
// Approximate kernel PCA: features of the rows, their moments in one pass, and PCA of those.

#include "pca/kernel/feature_sums.hpp"
#include "pca/kernel/seen_rows.hpp"

#include <mercer/plan.hpp>

namespace mercer {

/// The approximation of the plan, with its working memory.
template <class T>
Model<T> fit_approximate(Passes<T>& passes, const Plan& plan, const FitOptions& options,
                         const Schema& schema);

/// The approximation with what is left open in it set for so many rows.
Approx for_rows(const Approx& approx, Index rows);

/// Chooses features from the rows, and with them what is left open in the kernel.
template <class T>
FeatureChoice<T> choose_features(SeenRows<T>& rows, const Approx& approx, double budget);

/// PCA of the features. The caller adds names, scaling, passes and time.
template <class T>
ModelParts<T> parts_of(const FeatureSums<T>& sums, const Approx& approx, const FitOptions& options);

}  // namespace mercer
