#include "pca/retained_rows.hpp"

#include "model/parts.hpp"

namespace mercer {

template <class T>
Model<T> with_rows(Model<T> model, const std::vector<SampledRow<T>>& drawn, bool sparse) {
  const Map<T>& map = model.map();
  const bool all_are_anchors =
      map.space() == Space::kernel && map.anchors().rows() >= model.report().n_samples;
  if (map.is_identity() || all_are_anchors || drawn.empty()) return model;
  RowList<T> list(model.inputs(), sparse);
  for (const SampledRow<T>& row : drawn) list.push_back(row);
  ModelParts<T> parts = model.parts();
  parts.rows = preprocess(parts)(list.rows());
  return Model<T>(std::move(parts));
}

template Model<float> with_rows(Model<float>, const std::vector<SampledRow<float>>&, bool);
template Model<double> with_rows(Model<double>, const std::vector<SampledRow<double>>&, bool);

}  // namespace mercer
