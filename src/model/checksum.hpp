#pragma once
// The checksum stands first in the header, so that it is found without reading JSON: eight
// hexadecimal digits, the CRC-32 of the whole file with these digits taken as zeros.

#include "model/safetensors.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace mercer::checksum {

inline constexpr std::string_view before = R"({"__metadata__":{"checksum":")";
inline constexpr std::string_view zeros = "00000000";
inline constexpr std::size_t position = safetensors::length_bytes + before.size();

/// CRC-32 of bytes that come in pieces; begin with `so_far` = 0.
inline unsigned long add(unsigned long so_far, std::string_view bytes) {
  if (bytes.empty()) return so_far;  // zlib restarts on a null pointer
  return crc32_z(so_far, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

inline std::string text(unsigned long checksum) { return fmt::format("{:08x}", checksum); }

/// Does a file with a checksum in it have the right one?
inline bool matches(std::string_view bytes) {
  if (bytes.size() < position + zeros.size()) return false;
  if (bytes.substr(safetensors::length_bytes, before.size()) != before) return false;
  const std::string_view rest = bytes.substr(position);
  unsigned long sum = add(0, bytes.substr(0, position));
  sum = add(sum, zeros);
  sum = add(sum, rest.substr(zeros.size()));
  return rest.substr(0, zeros.size()) == text(sum);
}

}  // namespace mercer::checksum
