#include "terminal/model_points.hpp"

#include "model/parts.hpp"

#include <algorithm>

namespace mercer::cli {

namespace {

/// The model with its first two components only: all that a picture needs.
template <class T>
Model<T> first_two(const Model<T>& model) {
  return Model<T>(first_components(model.parts(), std::min<Index>(2, model.outputs())));
}

/// The first two scores of every `step`-th row of a fit, which are these: out of the eigenvectors
/// where those hold the scores of all rows.
template <class T>
Cloud points_of(const Model<T>& model, const Rows<T>& rows, Index step,
                const TransformOptions& options) {
  Matrix<T> scores = model.training_scores();
  if (scores.rows() == 0) {
    scores = first_two(model).transform(rows, options);
    step = 1;
  }
  Cloud cloud;
  for (Index i = 0; i < scores.rows(); i += step) {
    cloud.x.push_back(static_cast<double>(scores(i, 0)));
    if (scores.cols() > 1) cloud.y.push_back(static_cast<double>(scores(i, 1)));
  }
  return cloud;
}

}  // namespace

template <class T>
Cloud cloud_of(const Model<T>& model, const RowSample<T>& sample, const TransformOptions& options) {
  Cloud cloud = points_of(model, sample.rows(), sample.step(), options);
  assign_groups(cloud, sample.counts(), sample.counts().empty() ? nullptr : &sample.labels());
  return cloud;
}

template <class T>
Cloud cloud_of(const Model<T>& model, const Block<T>& all, const TransformOptions& options) {
  if (all.rows.sparse()) {
    Schema schema;
    schema.features = all.rows.cols();
    schema.sparse = true;
    RowSample<T> sample(schema, most_points);
    sample.add(all);
    return cloud_of(model, sample, options);
  }
  // Rows are taken where they lie, a number apart that no calendar divides.
  Index step = std::max<Index>(1, (all.rows.rows() + most_points - 1) / most_points);
  while (step > 1 && (step % 2 == 0 || step % 3 == 0 || step % 5 == 0 || step % 7 == 0)) ++step;
  const Index count = (all.rows.rows() + step - 1) / step;
  const Rows<T> some(all.rows.row(0), count, all.rows.cols(), all.rows.stride() * step);
  Cloud cloud = points_of(model, some, step, options);
  LabelCounts counts;
  std::vector<std::string> labels;
  if (all.labels) {
    counts.add(*all.labels, all.first_label, all.rows.rows());
    for (Index i = 0; i < count; ++i)
      labels.emplace_back((*all.labels)[static_cast<std::size_t>(all.first_label + i * step)]);
  }
  assign_groups(cloud, counts, all.labels ? &labels : nullptr);
  return cloud;
}

template Cloud cloud_of(const Model<float>&, const Block<float>&, const TransformOptions&);
template Cloud cloud_of(const Model<double>&, const Block<double>&, const TransformOptions&);
template Cloud cloud_of(const Model<float>&, const RowSample<float>&, const TransformOptions&);
template Cloud cloud_of(const Model<double>&, const RowSample<double>&, const TransformOptions&);

}  // namespace mercer::cli
