#pragma once
// How large a model is, from its file's header: what a command will need is known, and refused,
// before the model is loaded.

#include <mercer/model.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace mercer::cli {

struct ModelSize {
  double inputs = 0, outputs = 0, features = 0;
  double number_bytes = 8;
  double anchors = 0, anchor_entries = 0;  ///< rows and numbers
  double rows = 0;                         ///< stored for pre-images
  double samples = 0;
  double file_bytes = 0;  ///< 0: it is loaded already
  bool linear = true, scaled = false, kernel = false, approximate = false;

  double components() const { return outputs * features; }
};

template <class T>
ModelSize size_of(const Model<T>& model);

/// Nothing for pipes, and for files that are not models: loading reports what is wrong with them.
std::optional<ModelSize> size_of_file(const std::string& path);
std::optional<ModelSize> size_of_bytes(std::string_view begin);

/// What a model takes.
double bytes_of(const ModelSize& size);

}  // namespace mercer::cli
