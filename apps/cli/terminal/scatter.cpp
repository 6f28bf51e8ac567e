#include "terminal/scatter.hpp"

#include "terminal/axis.hpp"
#include "terminal/canvas.hpp"
#include "terminal/legend.hpp"

#include <algorithm>

namespace mercer::cli {

std::string scatter(const Cloud& cloud, const Terminal& terminal, const std::string& x_title,
                    const std::string& y_title) {
  constexpr int margin = 8;  // the numbers of the y axis
  const int width = std::clamp(terminal.width - margin - 3, 24, 92);
  const int height = std::clamp(width / 4, 10, 22);
  const int across = terminal.unicode ? 2 : 1, down = terminal.unicode ? 4 : 1;
  const Axis x(cloud.x, width * across), y(cloud.y, height * down);
  Canvas canvas(width, height, cloud.groups.size());
  // A single braille dot is hard to see: few points are drawn as 2×2 of them.
  const int size = terminal.unicode && cloud.x.size() <= 1000 ? 2 : 1;
  for (std::size_t i = 0; i < cloud.x.size(); ++i) {
    const int left = std::min(x.dot(cloud.x[i]), width * across - size);
    const int low = std::min(y.dot(cloud.y[i]), height * down - size);
    for (int dx = 0; dx < size; ++dx)
      for (int dy = 0; dy < size; ++dy)
        canvas.set(left + dx, low + dy, across, down, cloud.group[i]);
  }

  const std::vector<char> letters = marks(cloud.groups);
  const bool single = cloud.groups.size() == 1;
  std::vector<std::string> y_numbers(static_cast<std::size_t>(height));
  for (const auto& tick : y.ticks(std::max(2, height / 4)))
    y_numbers[static_cast<std::size_t>(height - 1 - tick.dot / down)] = tick.text;
  const int zero_column = x.low() < 0 && x.high() > 0 ? x.dot(0) / across : -1;
  const int zero_row = y.low() < 0 && y.high() > 0 ? height - 1 - y.dot(0) / down : -1;

  const std::string indent(margin, ' ');
  std::string out = indent + y_title + "\n";
  for (int row = 0; row < height; ++row) {
    const std::string& number = y_numbers[static_cast<std::size_t>(row)];
    out += terminal.dim(
        padded_left(number, margin - 1) + " " +
        (terminal.unicode ? (number.empty() ? "│" : "┤") : (number.empty() ? "|" : "+")));
    Painter painter(terminal);
    for (int column = 0; column < width; ++column) {
      const int group = canvas.group(row, column);
      if (group < 0) {
        const bool on_x = row == zero_row, on_y = column == zero_column;
        if (!on_x && !on_y) painter.add(-1, " ");
        else if (terminal.unicode) painter.add(238, on_x && on_y ? "┼" : on_x ? "╌" : "╎");
        else painter.add(-1, on_x ? (column % 2 == 0 ? "-" : " ") : ":");
        continue;
      }
      const int color =
          color_of(cloud.groups[static_cast<std::size_t>(group)], static_cast<std::size_t>(group));
      if (terminal.unicode && (terminal.color || single)) {
        painter.add(color, braille(canvas.dots(row, column)));
      } else if (single && cloud.groups[0].name.empty()) {
        const unsigned n = canvas.count(row, column, 0);
        painter.add(-1, n == 1 ? "." : n <= 3 ? "o" : n <= 9 ? "O" : "@");
      } else {
        painter.add(color, std::string(1, letters[static_cast<std::size_t>(group)]));
      }
    }
    out += painter.take();
    while (out.back() == ' ') out.pop_back();
    out += '\n';
  }
  out += x_axis(x, width, across, margin, x_title, terminal);
  return out + legend(cloud, terminal, margin + 1, width);
}

}  // namespace mercer::cli
