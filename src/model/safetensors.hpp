#pragma once
// The safetensors container: named arrays and text in one file that cannot carry code.
//
//     u64 little-endian n | n bytes of JSON, padded with spaces | the arrays, without gaps
//
// The header is a JSON object of {"dtype", "shape", "data_offsets"} by array name, and of strings
// under "__metadata__". Everything that is read is validated; messages name
// the file.

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mercer::safetensors {

/// Bytes in front of the JSON.
inline constexpr std::size_t length_bytes = 8;

struct Tensor {
  std::string dtype;  ///< "F64", "F32", …
  std::vector<std::uint64_t> shape;
  std::size_t begin = 0;  ///< in the data that follow the header
  std::size_t end = 0;
};

struct Header {
  std::map<std::string, std::string> metadata;
  std::map<std::string, Tensor> tensors;
  std::size_t data_begin = 0;  ///< in the file
  std::size_t file_size = 0;   ///< what the file must have
};

/// Throws `Errc::bad_file` for a file that was right once.
[[noreturn]] void damaged(const std::string& file, std::string_view why);

/// Length of the JSON, from the first 8 bytes.
std::size_t header_length(std::string_view first_bytes, const std::string& file);

/// The header, from its JSON (at least 2 bytes). Arrays lie one after the other from 0 on.
Header parse_header(std::string_view json, const std::string& file);

/// JSON that is not deeper than `depth` and has at most `values` values; `discarded` otherwise.
/// Bounds the memory that malicious text can cost by a small multiple of its length.
nlohmann::json parse_json(std::string_view text, int depth, std::size_t values);

/// One array to be written; the data are borrowed.
struct Array {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;
  std::string_view bytes;
};

/// Length and JSON, padded so that the data begin at a multiple of 8 bytes. Metadata keep their
/// order.
std::string make_header(const std::vector<std::pair<std::string, std::string>>& metadata,
                        const std::vector<Array>& arrays);

}  // namespace mercer::safetensors
