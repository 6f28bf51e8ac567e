#include "maps/expression_map.hpp"
#include "maps/from_text.hpp"
#include "model/checksum.hpp"
#include "model/codec.hpp"
#include "model/description.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <type_traits>

namespace mercer {

namespace {

using safetensors::Array;

template <class T>
const char* dtype() {
  if constexpr (std::is_same_v<T, std::int64_t>) return "I64";
  else if constexpr (std::is_same_v<T, std::int32_t>) return "I32";
  else return std::is_same_v<T, float> ? "F32" : "F64";
}

template <class T>
Array array(const char* name, std::initializer_list<Index> shape, const T* data) {
  std::size_t size = sizeof(T);
  for (const Index n : shape) size *= static_cast<std::size_t>(n);
  return {
      name, dtype<T>(), {shape.begin(), shape.end()}, {reinterpret_cast<const char*>(data), size}};
}

template <class T>
std::vector<Array> arrays_of(const ModelParts<T>& p) {
  const Rows<T> anchors = p.map->anchors();
  const CsrView<T>& csr = anchors.csr();
  // The widest numbers first: they stay aligned for any number of narrow ones.
  std::vector<Array> arrays{array("eigenvalues", {p.eigenvalues.size()}, p.eigenvalues.data())};
  const Certificate& certificate = p.report.certificate;
  if (!certificate.low.empty()) {
    arrays.push_back(array("eigenvalues_low", {p.eigenvalues.size()}, certificate.low.data()));
    arrays.push_back(array("eigenvalues_high", {p.eigenvalues.size()}, certificate.high.data()));
  }
  if (p.column_variance.size() > 0)
    arrays.push_back(
        array("column_variance", {p.column_variance.size()}, p.column_variance.data()));
  if (anchors.sparse())
    arrays.push_back(array("anchors_offsets", {anchors.rows() + 1}, csr.offsets));
  arrays.push_back(
      array("components", {p.components.rows(), p.components.cols()}, p.components.data()));
  arrays.push_back(array("mean", {p.mean.size()}, p.mean.data()));
  if (p.mean_rest.size() > 0)
    arrays.push_back(array("mean_rest", {p.mean_rest.size()}, p.mean_rest.data()));
  if (p.scale.size() > 0) arrays.push_back(array("scale", {p.scale.size()}, p.scale.data()));
  if (p.input_mean.size() > 0)
    arrays.push_back(array("input_mean", {p.input_mean.size()}, p.input_mean.data()));
  if (p.input_rest.size() > 0)
    arrays.push_back(array("input_rest", {p.input_rest.size()}, p.input_rest.data()));
  if (p.rows.size() > 0)
    arrays.push_back(array("rows", {p.rows.rows(), p.rows.cols()}, p.rows.data()));
  if (anchors.sparse()) {
    arrays.push_back(array("anchors_values", {anchors.entries()}, csr.values));
    arrays.push_back(array("anchors_columns", {anchors.entries()}, csr.columns));
  } else if (anchors.rows() > 0) {
    arrays.push_back(array("anchors", {anchors.rows(), anchors.cols()}, anchors.row(0)));
  }
  return arrays;
}

}  // namespace

template <class T>
Encoded encode(const ModelParts<T>& p) {
  const std::vector<Array> arrays = arrays_of(p);
  const auto* named = dynamic_cast<const NamedColumns*>(p.map.get());
  ColumnNames columns;
  if (named && named->columns() != p.feature_names) {
    columns = named->columns();
    // By position, though the columns have names.
    for (Index j = 1; named->columns().empty() && j <= p.map->inputs(); ++j)
      columns.push_back(fmt::format("x{}", j));
  }
  const Description words{.map = p.map->text(),
                          .kernel = p.map->kernel(),
                          .inputs = p.map->is_identity() ? 0 : p.map->inputs(),
                          .map_columns = columns,
                          .feature_names = p.feature_names,
                          .label_column = p.label_column,
                          .id_column = p.id_column,
                          .report = p.report};
  Encoded file;
  file.header = safetensors::make_header({{"checksum", std::string(checksum::zeros)},
                                          {"format", "mercer"},
                                          {"format_version", std::to_string(model_format_version)},
                                          {"mercer", description_text(words)}},
                                         arrays);
  unsigned long sum = checksum::add(0, file.header);
  for (const Array& a : arrays) {
    sum = checksum::add(sum, a.bytes);
    file.arrays.push_back(a.bytes);
  }
  file.header.replace(checksum::position, checksum::zeros.size(), checksum::text(sum));
  return file;
}

template Encoded encode(const ModelParts<float>&);
template Encoded encode(const ModelParts<double>&);

}  // namespace mercer
