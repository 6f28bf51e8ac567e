#include "scatter.hpp"

#include "axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace mercer::cli {

namespace {

// Told apart on dark and on light ground; the last is for "other".
constexpr std::array<int, 10> palette = {33, 208, 35, 170, 178, 196, 44, 99, 130, 245};
constexpr int grey = 245;

int color_of(const Cloud::Group& group, std::size_t index) {
  return group.other ? grey : palette[index % palette.size()];
}

/// A character for each group where there is no colour: the label's first letter when that tells
/// them apart.
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

/// The picture's cells: braille of 2×4 dots, or one character.
class Canvas {
 public:
  Canvas(int width, int height, std::size_t groups)
      : width_(width),
        height_(height),
        groups_(groups),
        dots_(cells(), 0),
        counts_(cells() * groups, 0) {}

  /// Dots count from the lower left, `down` × `across` of them in a cell.
  void set(int dot_x, int dot_y, int across, int down, int group) {
    const int column = dot_x / across;
    const int from_top = height_ * down - 1 - dot_y;
    const auto cell = static_cast<std::size_t>(from_top / down * width_ + column);
    static constexpr std::array<std::array<unsigned, 4>, 2> bits = {
        {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}};
    if (down == 4)
      dots_[cell] |=
          bits[static_cast<std::size_t>(dot_x % 2)][static_cast<std::size_t>(from_top % 4)];
    ++counts_[cell * groups_ + static_cast<std::size_t>(group)];
  }

  unsigned dots(int row, int column) const { return dots_[at(row, column)]; }

  /// The group with the most points in a cell; −1: empty.
  int group(int row, int column) const {
    const auto begin = counts_.begin() + static_cast<std::ptrdiff_t>(at(row, column) * groups_);
    const auto most = std::max_element(begin, begin + static_cast<std::ptrdiff_t>(groups_));
    return *most == 0 ? -1 : static_cast<int>(most - begin);
  }
  unsigned count(int row, int column, int group) const {
    return counts_[at(row, column) * groups_ + static_cast<std::size_t>(group)];
  }

 private:
  std::size_t cells() const { return static_cast<std::size_t>(width_ * height_); }
  std::size_t at(int row, int column) const {
    return static_cast<std::size_t>(row * width_ + column);
  }
  int width_, height_;
  std::size_t groups_;
  std::vector<unsigned> dots_;
  std::vector<unsigned> counts_;
};

std::string braille(unsigned dots) {
  const unsigned code = 0x2800 + dots;
  return {static_cast<char>(0xe0 | (code >> 12)), static_cast<char>(0x80 | ((code >> 6) & 0x3f)),
          static_cast<char>(0x80 | (code & 0x3f))};
}

/// Joins pieces of the same colour, so that a row costs a few escape sequences.
class Painter {
 public:
  explicit Painter(const Terminal& terminal) : terminal_(terminal) {}
  void add(int color, std::string_view text) {
    if (color != color_) flush();
    color_ = color;
    run_ += text;
  }
  std::string take() {
    flush();
    return std::move(out_);
  }

 private:
  void flush() {
    if (!run_.empty()) out_ += color_ < 0 ? run_ : terminal_.paint(color_, run_);
    run_.clear();
  }
  const Terminal& terminal_;
  int color_ = -1;
  std::string run_, out_;
};

std::string legend(const Cloud& cloud, const Terminal& terminal, int indent, int width) {
  if (cloud.groups.size() == 1 && cloud.groups[0].name.empty()) return {};
  const std::vector<char> letters = marks(cloud.groups);
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string out = margin;
  int used = 0;
  for (std::size_t g = 0; g < cloud.groups.size(); ++g) {
    const auto& group = cloud.groups[g];
    const std::string name =
        shown(group.name.empty() ? "(none)" : group.name, 24, terminal.unicode);
    const std::string mark = terminal.unicode && terminal.color ? "●" : std::string(1, letters[g]);
    const int length =
        static_cast<int>(columns_of(name) + fmt::formatted_size("{}", group.count)) + 6;
    if (used > 0 && used + length > width) {
      out += "\n" + margin;
      used = 0;
    }
    out += fmt::format("{} {} {}   ", terminal.paint(color_of(group, g), mark), name,
                       terminal.dim(fmt::to_string(group.count)));
    used += length;
  }
  while (out.back() == ' ') out.pop_back();
  return out + "\n";
}

/// The line below a picture: ticks, and the numbers under them.
std::string x_axis(const Axis& axis, int width, int dots_per_cell, int margin,
                   const std::string& title, const Terminal& terminal) {
  const auto room = static_cast<std::size_t>(width);
  std::vector<std::string> line(room, terminal.unicode ? "─" : "-");
  std::string numbers(room + 12, ' ');
  std::size_t free_from = 0;
  for (const auto& tick : axis.ticks(std::max(2, width / 14))) {
    const auto column = static_cast<std::size_t>(tick.dot / dots_per_cell);
    line[column] = terminal.unicode ? "┬" : "+";
    const std::size_t half = tick.text.size() / 2;
    const std::size_t from = column > half ? column - half : 0;
    if (from < free_from || from + tick.text.size() > numbers.size()) continue;
    numbers.replace(from, tick.text.size(), tick.text);
    free_from = from + tick.text.size() + 1;
  }
  while (!numbers.empty() && numbers.back() == ' ') numbers.pop_back();
  std::string rule;
  for (const std::string& piece : line) rule += piece;
  const std::string left(static_cast<std::size_t>(margin), ' ');
  const std::string corner = terminal.unicode ? "└" : "+";
  std::string out = left + terminal.dim(corner + rule) + "\n";
  out += left + " " + terminal.dim(numbers) + "\n";
  const auto pad = static_cast<std::size_t>(
      std::max(0, margin + 1 + width - static_cast<int>(columns_of(title))));
  return out + std::string(pad, ' ') + title + "\n";
}

}  // namespace

std::string scatter(const Cloud& cloud, const Terminal& terminal, const std::string& x_title,
                    const std::string& y_title) {
  constexpr int margin = 8;  // the numbers of the y axis
  const int width = std::clamp(terminal.width - margin - 3, 24, 92);
  const int height = std::clamp(width / 4, 10, 22);
  const int across = terminal.unicode ? 2 : 1, down = terminal.unicode ? 4 : 1;
  const Axis x(cloud.x, width * across), y(cloud.y, height * down);
  Canvas canvas(width, height, cloud.groups.size());
  // A single braille dot is hard to see: few points are drawn as 2×2 of them.
  const int size = terminal.unicode && cloud.x.size() <= 2000 ? 2 : 1;
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
