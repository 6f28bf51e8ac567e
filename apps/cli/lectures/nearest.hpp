#pragma once
// k nearest neighbours: a classifier to compare features with.

#include <mercer/matrix.hpp>

#include <string>
#include <vector>

namespace mercer::cli {

/// Share of the rows of `test` whose label most of the `neighbours` nearest rows of `train` have.
/// Ties go to the label of the nearest row among them. O(test · train · columns).
double nearest_accuracy(const Matrix<double>& train, const std::vector<std::string>& train_labels,
                        const Matrix<double>& test, const std::vector<std::string>& test_labels,
                        int neighbours);

}  // namespace mercer::cli
