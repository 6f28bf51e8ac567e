#include <mercer/export.hpp>

#include "core/closest_name.hpp"
#include "core/require.hpp"
#include "model/parts.hpp"

#include <mercer/loadings.hpp>

#include <algorithm>
#include <string>
#include <type_traits>

namespace mercer {

namespace {

using Object = ModelObject;

const std::vector<ObjectEntry>& objects() {
  static const std::string explicit_models = "linear models and models of a map";
  static const std::string exact = "exact kernel models of equally weighted rows";
  static const std::vector<ObjectEntry> all = {
      {"components", Object::components, "B, k x D: one component per row", explicit_models},
      {"mean", Object::mean, "mean of the columns or features", explicit_models},
      {"scale", Object::scale, "divisors of the columns", "models of z-scores"},
      {"eigenvalues", Object::eigenvalues, "of the scatter or centred kernel matrix", "all models"},
      {"variances", Object::variances, "eigenvalues over N - ddof", "all models"},
      {"sdev", Object::sdev, "standard deviations, as of R's prcomp", "all models"},
      {"rotation", Object::rotation, "components as columns, as of R's prcomp", explicit_models},
      {"eigenvectors", Object::eigenvectors, "of the covariance or the centred kernel matrix",
       explicit_models + ", " + exact},
      {"loadings", Object::loadings, "components times standard deviations", "linear models"},
      {"alpha", Object::alpha, "coefficients of the rows in kernel PCA, alpha'alpha = 1/eigenvalue",
       exact}};
  return all;
}

const ObjectEntry& entry_of(Object object) {
  return *std::ranges::find(objects(), object, &ObjectEntry::object);
}

template <class T>
bool is_explicit(const Model<T>& model) {
  const Space space = model.map().space();
  return space == Space::input || space == Space::features;
}

template <class T>
bool is_scaled(const Model<T>& model) {
  return (model.scale().array() != 1).any();
}

template <class T>
std::string kind_of(const Model<T>& model) {
  const Map<T>& map = model.map();
  if (map.is_identity()) return is_scaled(model) ? "a linear model of z-scores" : "a linear model";
  if (is_explicit(model)) return fmt::format("a model of the map {}", map.text());
  const Report& report = model.report();
  const bool exact = anchors_are_its_rows(model.parts());
  return fmt::format("{} model of {}",
                     exact             ? "an exact"
                     : report.weighted ? "a weighted"
                                       : "an approximate or learned",
                     map.kernel().empty() ? "a kernel matrix" : map.kernel());
}

std::vector<std::string> component_names(Index k, NameStyle style, bool kernel) {
  std::vector<std::string> names;
  for (Index i = 0; i < k; ++i)
    names.push_back(style == NameStyle::r ? fmt::format("PC{}", i + 1)
                    : style == NameStyle::sklearn
                        ? fmt::format("{}{}", kernel ? "kernelpca" : "pca", i)
                        : fmt::format("pc{}", i + 1));
  return names;
}

/// The name of a vector in each style.
std::string vector_name(Object object, NameStyle style) {
  if (style == NameStyle::r && object == Object::mean) return "center";
  if (style == NameStyle::sklearn) {
    if (object == Object::variances) return "explained_variance_";
    if (object != Object::sdev) return entry_of(object).name + "_";
  }
  return entry_of(object).name;
}

template <class T>
std::vector<std::string> input_names(const Model<T>& model) {
  std::vector<std::string> names = model.feature_names();
  for (Index j = static_cast<Index>(names.size()); j < model.inputs(); ++j)
    names.push_back(fmt::format("x{}", j + 1));
  return names;
}

template <class T>
class Exporter {
 public:
  Exporter(const Model<T>& model, NameStyle style) : model_(model), style_(style) {}

  NamedMatrix operator()(Object object) const {
    switch (object) {
      case Object::components:
        return by_component(model_.components().template cast<double>());
      case Object::rotation:
        return by_input(model_.components().transpose().template cast<double>(), is_single);
      case Object::eigenvectors:
        if (is_explicit(model_)) return (*this)(Object::rotation);
        return by_row(alpha() * model_.eigenvalues().cwiseSqrt().asDiagonal());
      case Object::alpha:
        return by_row(alpha());
      case Object::loadings:
        return by_input(mercer::loadings(model_).loadings, false);
      case Object::mean:
        return inputs_vector(mean(), object, model_.mean_rest().size() == 0 && is_single);
      case Object::scale: {
        NamedMatrix out = vector_of(model_.scale().template cast<double>(), object);
        out.rows = input_names(model_);
        out.row_kind = "column";
        out.single = is_single;
        return out;
      }
      case Object::eigenvalues:
        return components_vector(model_.eigenvalues(), object);
      case Object::variances:
        return components_vector(model_.explained_variance(), object);
      case Object::sdev:
        return components_vector(model_.explained_variance().cwiseSqrt(), object);
    }
    return {};
  }

 private:
  static constexpr bool is_single = std::is_same_v<T, float>;

  std::vector<std::string> components() const {
    return component_names(model_.outputs(), style_, !is_explicit(model_));
  }
  std::vector<std::string> features() const {
    return model_.map().feature_names(input_names(model_));
  }
  std::string feature_kind() const { return model_.map().is_identity() ? "column" : "feature"; }

  /// N×k: U Λ^-½. The rows of B are that, but for the rounding that keeps their sums 0.
  Matrix<double> alpha() const { return model_.components().transpose().template cast<double>(); }
  Vector<double> mean() const {
    Vector<double> m = model_.mean().template cast<double>();
    if (model_.mean_rest().size() > 0) m += model_.mean_rest().template cast<double>();
    return m;
  }

  NamedMatrix by_component(Matrix<double> values) const {
    return {.values = std::move(values),
            .rows = components(),
            .columns = features(),
            .row_kind = "component",
            .single = is_single};
  }
  NamedMatrix by_input(Matrix<double> values, bool single) const {
    return {.values = std::move(values),
            .rows = features(),
            .columns = components(),
            .row_kind = feature_kind(),
            .single = single};
  }
  NamedMatrix by_row(Matrix<double> values) const {
    NamedMatrix out{
        .values = std::move(values), .rows = {}, .columns = components(), .row_kind = "row"};
    for (Index i = 1; i <= out.values.rows(); ++i) out.rows.push_back(fmt::format("{}", i));
    return out;
  }
  NamedMatrix vector_of(const Vector<double>& values, Object object) const {
    return {.values = values,
            .rows = {},
            .columns = {vector_name(object, style_)},
            .row_kind = {},
            .vector = true};
  }
  NamedMatrix inputs_vector(const Vector<double>& values, Object object, bool single) const {
    NamedMatrix out = vector_of(values, object);
    out.rows = features();
    out.row_kind = feature_kind();
    out.single = single;
    return out;
  }
  NamedMatrix components_vector(const Vector<double>& values, Object object) const {
    NamedMatrix out = vector_of(values, object);
    out.rows = components();
    out.row_kind = "component";
    return out;
  }

  const Model<T>& model_;
  NameStyle style_;
};

}  // namespace

std::span<const ObjectEntry> object_table() { return objects(); }

ModelObject parse_object(std::string_view name) {
  std::vector<std::string> names;
  for (const ObjectEntry& entry : objects()) {
    if (entry.name == name) return entry.object;
    names.push_back(entry.name);
  }
  const std::string* close = closest_name(name, names);
  fail(Errc::bad_option, "a model has no '{}'; {}there are {}", name,
       close ? fmt::format("did you mean {}? ", *close) : "", fmt::join(names, ", "));
}

NameStyle parse_name_style(std::string_view name) {
  if (name == "mercer") return NameStyle::mercer;
  if (name == "r") return NameStyle::r;
  require(name == "sklearn", Errc::bad_option, "names '{}' are unknown; use mercer, r or sklearn",
          name);
  return NameStyle::sklearn;
}

template <class T>
bool has_object(const Model<T>& model, ModelObject object) {
  switch (object) {
    case Object::components:
    case Object::mean:
    case Object::rotation:
      return is_explicit(model);
    case Object::scale:
      return is_scaled(model);
    case Object::loadings:
      return model.map().is_identity();
    case Object::alpha:
      return anchors_are_its_rows(model.parts());
    case Object::eigenvectors:
      return is_explicit(model) || anchors_are_its_rows(model.parts());
    default:
      return true;
  }
}

template <class T>
NamedMatrix export_object(const Model<T>& model, ModelObject object, NameStyle names) {
  if (!has_object(model, object)) {
    std::vector<std::string> present;
    for (const ObjectEntry& entry : objects())
      if (has_object(model, entry.object)) present.push_back(entry.name);
    fail(Errc::bad_option, "only {} have {}; this is {}, which has {}", entry_of(object).models,
         entry_of(object).name, kind_of(model), fmt::join(present, ", "));
  }
  return Exporter<T>(model, names)(object);
}

#define MERCER_INSTANTIATE(T)                             \
  template bool has_object(const Model<T>&, ModelObject); \
  template NamedMatrix export_object(const Model<T>&, ModelObject, NameStyle);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
