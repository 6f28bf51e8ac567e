#include "model/checksum.hpp"
#include "model/codec.hpp"
#include "model/description.hpp"

#include <type_traits>

namespace mercer {

namespace {

using safetensors::Array;

template <class M>
Array array(const char* name, std::vector<std::uint64_t> shape, const M& m) {
  using T = typename M::Scalar;
  return {
      name,
      std::is_same_v<T, float> ? "F32" : "F64",
      std::move(shape),
      {reinterpret_cast<const char*>(m.data()), static_cast<std::size_t>(m.size()) * sizeof(T)}};
}

template <class T>
std::vector<Array> arrays_of(const ModelParts<T>& p) {
  const auto size = [](Index n) { return static_cast<std::uint64_t>(n); };
  // Doubles first: they stay aligned whatever the number of floats.
  std::vector<Array> arrays{
      array("eigenvalues", {size(p.eigenvalues.size())}, p.eigenvalues),
      array("components", {size(p.components.rows()), size(p.components.cols())}, p.components),
      array("mean", {size(p.mean.size())}, p.mean)};
  if (p.scale.size() > 0) arrays.push_back(array("scale", {size(p.scale.size())}, p.scale));
  return arrays;
}

}  // namespace

template <class T>
Encoded encode(const ModelParts<T>& p) {
  const std::vector<Array> arrays = arrays_of(p);
  Encoded file;
  file.header = safetensors::make_header(
      {{"checksum", std::string(checksum::zeros)},
       {"format", "mercer"},
       {"format_version", std::to_string(model_format_version)},
       {"mercer",
        description_text({p.map->text(), p.feature_names, p.label_column, p.id_column, p.report})}},
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
