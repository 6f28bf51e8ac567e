#pragma once
// Approximate kernel PCA: features of the rows, their moments in one pass, and PCA of those.

#include "pca/kernel/feature_sums.hpp"
#include "pca/kernel/seen_rows.hpp"

#include <mercer/fit.hpp>

#include <string>

namespace mercer {

/// `budget`: bytes of working memory beside the rows; `why`: this approximation.
template <class T>
Model<T> fit_approximate(Passes<T>& passes, const Approx& approx, const std::string& why,
                         const FitOptions& options, const Schema& schema, double budget);

/// As many landmarks or features as that much working memory holds.
Index most_features(double budget);

/// The approximation with what is left open in it set for so many rows.
Approx for_rows(const Approx& approx, Index rows);

/// Chooses features from the rows, and with them what is left open in the kernel.
template <class T>
FeatureSpace<T> choose_features(SeenRows<T>& rows, const Approx& approx, double budget);

/// PCA of the features. What the caller knows and this does not: names, scaling, passes, time.
template <class T>
ModelParts<T> parts_of(const FeatureSums<T>& sums, const Approx& approx, const FitOptions& options);

}  // namespace mercer
