#pragma once
// Headers in the open: with their length and checksum put right, changes get past both.

#include "model/checksum.hpp"
#include "model/safetensors.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

namespace mercer {

/// The file of which `input` is the JSON of the header, a zero byte and the arrays.
inline std::string sealed(const std::string& input) {
  const std::size_t end = std::min(input.find('\0'), input.size());
  const std::uint64_t length = end;
  std::string file(safetensors::length_bytes, '\0');
  std::memcpy(file.data(), &length, sizeof length);
  file += input.substr(0, end);
  if (end < input.size()) file += input.substr(end + 1);
  if (file.size() < checksum::position + checksum::zeros.size()) return file;
  file.replace(checksum::position, checksum::zeros.size(), checksum::zeros);
  file.replace(checksum::position, checksum::zeros.size(), checksum::text(checksum::add(0, file)));
  return file;
}

}  // namespace mercer
