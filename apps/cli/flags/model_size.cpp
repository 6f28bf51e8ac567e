#include "flags/model_size.hpp"

#include "data/bytes.hpp"
#include "model/codec.hpp"

#include <nlohmann/json.hpp>

#include <sys/stat.h>

#include <algorithm>

namespace mercer::cli {

template <class T>
ModelSize size_of(const Model<T>& model) {
  const Rows<T> anchors = model.map().anchors();
  return {.inputs = static_cast<double>(model.inputs()),
          .outputs = static_cast<double>(model.outputs()),
          .features = static_cast<double>(model.map().features()),
          .number_bytes = sizeof(T),
          .anchors = static_cast<double>(anchors.rows()),
          .anchor_entries = static_cast<double>(anchors.rows() > 0 ? anchors.entries() : 0),
          .rows = static_cast<double>(model.rows().rows()),
          .samples = static_cast<double>(model.report().n_samples),
          .linear = model.map().is_identity(),
          .scaled = model.scale().size() > 0,
          .kernel = model.map().space() == Space::kernel,
          .approximate = model.report().approximation.has_value()};
}

std::optional<ModelSize> size_of_bytes(std::string_view begin) try {
  const safetensors::Header header = decode_header(begin, "");
  const auto dimension = [&](const char* array, std::size_t index) {
    const auto found = header.tensors.find(array);
    const bool known = found != header.tensors.end() && index < found->second.shape.size();
    return known ? static_cast<double>(found->second.shape[index]) : 0.0;
  };
  const auto words = nlohmann::json::parse(header.metadata.at("mercer"), nullptr, false);
  ModelSize size{.outputs = dimension("components", 0),
                 .features = dimension("components", 1),
                 .rows = dimension("rows", 0),
                 .file_bytes = static_cast<double>(header.file_size)};
  size.inputs = std::max(dimension("input_mean", 0), 0.0);
  if (size.inputs == 0) size.inputs = size.features;
  size.number_bytes = header.tensors.at("components").dtype == "F32" ? 4 : 8;
  const bool sparse = header.tensors.contains("anchors_offsets");
  size.anchors = sparse ? dimension("anchors_offsets", 0) - 1 : dimension("anchors", 0);
  size.anchor_entries =
      sparse ? dimension("anchors_values", 0) : size.anchors * dimension("anchors", 1);
  size.samples = words.at("n_samples").get<double>();
  const std::string map = words.at("map").get<std::string>();
  size.linear = map == "identity";
  size.kernel = map == "kernel";
  size.scaled = header.tensors.contains("scale");
  size.approximate = words.contains("approximation");
  return size;
} catch (const std::exception&) {
  return {};
}

std::optional<ModelSize> size_of_file(const std::string& path) try {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  const auto stream = open_bytes(path, {});
  std::string begin(safetensors::length_bytes, '\0');
  begin.resize(stream->read(begin.data(), begin.size()));
  const std::size_t length = safetensors::header_length(begin, path), at = begin.size();
  begin.resize(at + std::min(length, static_cast<std::size_t>(info.st_size)));
  begin.resize(at + stream->read(begin.data() + at, begin.size() - at));
  return size_of_bytes(begin);
} catch (const Error&) {
  return {};
}

double bytes_of(const ModelSize& size) {
  // Components once more: divided by scales, or as many of a kernel are multiplied, in eights.
  const double again = size.linear && !size.scaled ? 0 : size.features * (size.outputs + 7);
  // Names, in the model and in the file that is read; components that are multiplied at once.
  return 400 * size.inputs + std::min(8 * size.components(), double{8 << 20}) +
         size.number_bytes *
             (size.components() + again + size.anchor_entries + size.rows * size.inputs);
}

template ModelSize size_of(const Model<float>&);
template ModelSize size_of(const Model<double>&);

}  // namespace mercer::cli
