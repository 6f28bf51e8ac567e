#pragma once
// The features of all rows summed, on one process or on a team (pca/orders.hpp).

#include "pca/kernel/feature_sums.hpp"
#include "pca/kernel/seen_rows.hpp"

#include <string>
#include <string_view>

namespace mercer {

/// One pass; another one on a team where features are random. `what`, `note`: for the monitor.
template <class T>
FeatureSums<T> sum_features(SeenRows<T>& rows, FeatureChoice<T> space, const std::string& what,
                            std::string_view note = {});

/// The part of another rank.
template <class T>
void serve_features(Passes<T>& passes, const FitOptions& options, const std::string& with);

}  // namespace mercer
