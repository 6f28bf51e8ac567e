#pragma once
// What tests of memory budgets share: columns, and the number that a refusal states.

#include <fmt/format.h>
#include <mercer/matrix.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace mercer::test {

inline std::vector<std::string> numbered_columns(Index count) {
  std::vector<std::string> names;
  for (Index j = 0; j < count; ++j) names.push_back(fmt::format("x{}", j + 1));
  return names;
}

inline std::string ones(Index count) {
  std::string text = "1";
  for (Index j = 1; j < count; ++j) text += ",1";
  return text;
}

/// The number after "at least", in bytes.
inline double stated_bytes(const std::string& message, std::string& text) {
  const std::size_t at = message.rfind("at least ");
  if (at == std::string::npos) return 0;
  double value = 0;
  char unit[4] = "";
  if (std::sscanf(message.c_str() + at, "at least %lf %3[KMGiB]", &value, unit) != 2) return 0;
  text = fmt::format("{}{}", value, unit);
  const std::string name = unit;
  return value * (name == "GiB" ? 1 << 30 : name == "MiB" ? 1 << 20 : name == "KiB" ? 1 << 10 : 1);
}

}  // namespace mercer::test
