#include "terminal/legend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace mercer::cli {

namespace {

// Distinguishable on dark and on light ground; the last is for "other".
constexpr std::array<int, 10> palette = {33, 208, 35, 170, 178, 196, 44, 99, 130, 245};
constexpr int grey = 245;

}  // namespace

int color_of(const Cloud::Group& group, std::size_t index) {
  return group.other ? grey : palette[index % palette.size()];
}

std::vector<char> marks(const std::vector<Cloud::Group>& groups) {
  constexpr std::string_view symbols = "ox+*#@%&=~";
  std::vector<char> letters;
  for (const auto& group : groups) {
    const char c = group.name.empty() ? '\0' : group.name.front();
    const bool fine = !group.other && std::isalnum(static_cast<unsigned char>(c)) != 0;
    letters.push_back(fine ? c : group.other ? '.' : '\0');
  }
  std::vector<char> sorted = letters;
  std::sort(sorted.begin(), sorted.end());
  const bool distinct =
      std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end() && sorted.front() != '\0';
  if (distinct) return letters;
  for (std::size_t i = 0; i < letters.size(); ++i)
    letters[i] = groups[i].other ? '.' : symbols[i % symbols.size()];
  return letters;
}

std::string legend(const Cloud& cloud, const Terminal& terminal, int indent, int width) {
  if (cloud.groups.size() == 1 && cloud.groups[0].name.empty()) return {};
  const std::vector<char> letters = marks(cloud.groups);
  const std::string spaces(static_cast<std::size_t>(indent), ' ');
  std::string out = spaces;
  int used = 0;
  for (std::size_t g = 0; g < cloud.groups.size(); ++g) {
    const auto& group = cloud.groups[g];
    const std::string name =
        shown(group.name.empty() ? "(none)" : group.name, 24, terminal.unicode);
    const std::string mark = terminal.unicode && terminal.color ? "●" : std::string(1, letters[g]);
    const int length =
        static_cast<int>(columns_of(name) + fmt::formatted_size("{}", group.count)) + 6;
    if (used > 0 && used + length > width) {
      out += "\n" + spaces;
      used = 0;
    }
    out += fmt::format("{} {} {}   ", terminal.paint(color_of(group, g), mark), name,
                       terminal.dim(fmt::to_string(group.count)));
    used += length;
  }
  while (out.back() == ' ') out.pop_back();
  return out + "\n";
}

}  // namespace mercer::cli
