#pragma once
// From a model and its rows to the points of a picture.

#include "rows/row_sample.hpp"
#include "terminal/cloud.hpp"

#include <mercer/model.hpp>

namespace mercer::cli {

constexpr Index most_points = 20'000;

/// The first two scores of every so many-th of the rows that the model was fitted to.
template <class T>
Cloud cloud_of(const Model<T>& model, const Block<T>& all, const TransformOptions& options);

/// The first two scores of a sample.
template <class T>
Cloud cloud_of(const Model<T>& model, const RowSample<T>& sample, const TransformOptions& options);

}  // namespace mercer::cli
