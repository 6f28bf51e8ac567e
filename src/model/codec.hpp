#pragma once
// Models to bytes and back; docs/model-file.md describes the file.

#include "model/safetensors.hpp"

#include <mercer/model.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// The pieces of a file in order. The arrays are those of the model, not copies.
struct Encoded {
  std::string header;
  std::vector<std::string_view> arrays;
};

/// The parts must be those of a `Model`: they are not checked again.
template <class T>
Encoded encode(const ModelParts<T>& parts);

/// The header at the start of `bytes`, when it is that of a model which this version can read.
/// What comes after the header need not be there.
safetensors::Header decode_header(std::string_view bytes, const std::string& file);

/// A whole file.
template <class T>
ModelParts<T> decode(std::string_view bytes, const std::string& file,
                     const LoadOptions<T>& options = {});

[[noreturn]] void truncated(const std::string& file, std::size_t has, std::size_t needs);

}  // namespace mercer
