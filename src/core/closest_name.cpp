#include "core/closest_name.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace mercer {

namespace {

// Levenshtein distance, letter case aside.
std::size_t distance(std::string_view a, std::string_view b) {
  const auto same = [](char p, char q) {
    return std::tolower(static_cast<unsigned char>(p)) ==
           std::tolower(static_cast<unsigned char>(q));
  };
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

const std::string* closest_name(std::string_view wanted, const std::vector<std::string>& names) {
  const std::string* closest = nullptr;
  std::size_t best = wanted.size() / 3 + 1;
  for (const std::string& name : names) {
    if (name.size() > wanted.size() + best || wanted.size() > name.size() + best) continue;
    const std::size_t d = distance(name, wanted);
    if (d < best || (d == best && !closest)) {
      best = d;
      closest = &name;
    }
  }
  return closest;
}

}  // namespace mercer
