#include <mercer/feature_space.hpp>
#include <mercer/model.hpp>

#include "core/json_text.hpp"
#include "model/description.hpp"

#include <type_traits>
#include <vector>

namespace mercer {

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson list(const Vector<double>& values) {
  return std::vector<double>(values.data(), values.data() + values.size());
}

OrderedJson or_null(const std::string& text) {
  return text.empty() ? OrderedJson(nullptr) : OrderedJson(text);
}

Vector<double> running_sum(Vector<double> values) {
  for (Index j = 1; j < values.size(); ++j) values[j] += values[j - 1];
  return values;
}

/// Larger components are exported to a file: text takes 20 bytes per number.
constexpr Index most_numbers = 100'000;

/// B of linear models and maps; null for kernels, whose coefficients are as many as rows.
template <class T>
OrderedJson components_json(const Model<T>& model) {
  const Space space = model.map().space();
  const bool columns = space == Space::input || space == Space::features;
  if (!columns || model.components().size() > most_numbers) return nullptr;
  OrderedJson rows = OrderedJson::array();
  for (Index c = 0; c < model.outputs(); ++c)
    rows.push_back(list(model.components().row(c).transpose().template cast<double>()));
  return rows;
}

template <class T>
OrderedJson mean_json(const Model<T>& model) {
  const Space space = model.map().space();
  const bool columns = space == Space::input || space == Space::features;
  if (!columns || model.mean().size() > most_numbers) return nullptr;
  Vector<double> mean = model.mean().template cast<double>();
  if (model.mean_rest().size() > 0) mean += model.mean_rest().template cast<double>();
  return list(mean);
}

template <class T>
OrderedJson scale_json(const Model<T>& model) {
  if (!(model.scale().array() != 1).any() || model.scale().size() > most_numbers) return nullptr;
  return list(model.scale().template cast<double>());
}

/// D, "infinite", or null where it is unknown or the space is that of the columns.
template <class T>
OrderedJson dimension_json(const Model<T>& model) {
  if (model.map().is_identity()) return nullptr;
  const FeatureSpace space = feature_space(model.map());
  if (!space.known()) return nullptr;
  if (space.infinite()) return "infinite";
  return space.dimension < 0x1p53 ? OrderedJson(static_cast<std::int64_t>(space.dimension))
                                  : OrderedJson(space.dimension);
}

OrderedJson intervals(const Certificate& certificate) {
  if (certificate.low.empty()) return nullptr;
  OrderedJson out = OrderedJson::array();
  for (std::size_t j = 0; j < certificate.low.size(); ++j)
    out.push_back({certificate.low[j], certificate.high[j]});
  return out;
}

}  // namespace

template <class T>
std::string to_json(const Model<T>& model, int indent) {
  const Report& r = model.report();
  const Space space = model.map().space();
  const Vector<double> ratio = model.explained_variance_ratio();
  const OrderedJson json{
      {"format_version", model_format_version},
      {"method", r.method},
      {"space", name_of(space)},
      {"kernel", or_null(model.map().kernel())},
      {"map", space == Space::features ? OrderedJson(model.map().text()) : OrderedJson(nullptr)},
      {"n_samples", r.n_samples},
      {"n_features", model.inputs()},
      {"n_components", model.outputs()},
      {"feature_names", model.feature_names()},
      {"label", or_null(model.label_column())},
      {"id", or_null(model.id_column())},
      {"weighted", r.weighted},
      {"weight", r.weight},
      {"centered", r.centered},
      // Rows that are only centred before a kernel have scales of 1.
      {"scale", (model.scale().array() != 1).any() ? "std" : "none"},
      {"ddof", r.ddof},
      {"precision", std::is_same_v<T, float> ? "float" : "double"},
      {"eigenvalues", list(model.eigenvalues())},
      {"eigenvalue_intervals", intervals(r.certificate)},
      {"certificate", certificate_json(r.certificate)},
      {"explained_variance", list(model.explained_variance())},
      {"explained_variance_ratio", list(ratio)},
      {"cumulative_variance_ratio", list(running_sum(ratio))},
      {"total_variance", r.total_variance},
      {"feature_space_dimension", dimension_json(model)},
      {"mean", mean_json(model)},
      {"scale_values", scale_json(model)},
      {"components", components_json(model)},
      {"solver", solver_json(r.solver)},
      {"plan", r.plan ? plan_json(*r.plan) : OrderedJson(nullptr)},
      {"approximation",
       r.approximation ? approximation_json(*r.approximation) : OrderedJson(nullptr)},
      {"merged", r.merged.models > 0 ? merged_json(r.merged) : OrderedJson(nullptr)},
      {"components_chosen", r.chosen ? choice_json(*r.chosen) : OrderedJson(nullptr)},
      {"rank", r.rank > 0 ? OrderedJson(r.rank) : OrderedJson(nullptr)},
      {"relations", relations_json(r.relations)},
      {"imputation", r.imputation ? imputation_json(*r.imputation) : OrderedJson(nullptr)},
      {"seconds", r.seconds > 0 ? OrderedJson(r.seconds) : OrderedJson(nullptr)},
      {"peak_memory_bytes",
       r.peak_memory_bytes > 0 ? OrderedJson(r.peak_memory_bytes) : OrderedJson(nullptr)}};
  return json_text(json, indent);
}

template std::string to_json(const Model<float>&, int);
template std::string to_json(const Model<double>&, int);

}  // namespace mercer
