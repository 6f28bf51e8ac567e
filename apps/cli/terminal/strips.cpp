#include "terminal/axis.hpp"
#include "terminal/canvas.hpp"
#include "terminal/legend.hpp"
#include "terminal/scatter.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace mercer::cli {

std::string strips(const Cloud& cloud, const Terminal& terminal, const std::string& title) {
  static constexpr std::array<const char*, 9> levels = {" ", "▁", "▂", "▃", "▄",
                                                        "▅", "▆", "▇", "█"};
  static constexpr std::string_view plain = " .:-=+*#@";
  std::size_t name_width = 0;
  for (const auto& group : cloud.groups)
    name_width = std::max(name_width, columns_of(shown(group.name, 16, terminal.unicode)));
  const int margin = static_cast<int>(name_width) + 3;
  const int width = std::clamp(terminal.width - margin - 3, 24, 92);
  const Axis x(cloud.x, width);
  Canvas canvas(width, 1, cloud.groups.size());
  for (std::size_t i = 0; i < cloud.x.size(); ++i)
    canvas.set(x.dot(cloud.x[i]), 0, 1, 1, cloud.group[i]);

  std::string out;
  for (std::size_t g = 0; g < cloud.groups.size(); ++g) {
    unsigned most = 1;
    for (int column = 0; column < width; ++column)
      most = std::max(most, canvas.count(0, column, static_cast<int>(g)));
    out += "  " + padded(shown(cloud.groups[g].name, 16, terminal.unicode), name_width) + " " +
           terminal.dim(terminal.unicode ? "│" : "|");
    std::string strip;
    for (int column = 0; column < width; ++column) {
      const unsigned n = canvas.count(0, column, static_cast<int>(g));
      const auto level = static_cast<std::size_t>(std::ceil(8.0 * n / most));
      if (terminal.unicode) strip += levels[level];
      else strip += plain[level];
    }
    out += terminal.paint(color_of(cloud.groups[g], g), strip);
    while (out.back() == ' ') out.pop_back();
    out += '\n';
  }
  return out + x_axis(x, width, 1, margin, title, terminal);
}

}  // namespace mercer::cli
