#pragma once
// The cells of a picture, and how a row of them becomes text.

#include "terminal/terminal.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mercer::cli {

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
    const std::size_t cell = at(from_top / down, column);
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
  std::size_t cells() const {
    return static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
  }
  std::size_t at(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) +
           static_cast<std::size_t>(column);
  }
  int width_, height_;
  std::size_t groups_;
  std::vector<unsigned> dots_;
  std::vector<unsigned> counts_;
};

/// The braille character with these dots.
inline std::string braille(unsigned dots) {
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

}  // namespace mercer::cli
