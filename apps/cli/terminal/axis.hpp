#pragma once
// An interval on so many dots, with round numbers to mark it.

#include "terminal/terminal.hpp"

#include <string>
#include <vector>

namespace mercer::cli {

class Axis {
 public:
  /// Covers all values (a little more, so that no point sits on the frame); 1 ± when constant.
  Axis(const std::vector<double>& values, int dots);

  /// The dot of a value, 0 … dots−1.
  int dot(double value) const;
  double low() const { return low_; }
  double high() const { return high_; }

  struct Tick {
    int dot;
    std::string text;
  };
  /// About `count` ticks at multiples of 1, 2 or 5 times a power of ten.
  std::vector<Tick> ticks(int count) const;

 private:
  double low_, high_;
  int dots_;
};

/// The line below a picture, with ticks, the numbers under them and a title at the right.
std::string x_axis(const Axis& axis, int width, int dots_per_cell, int margin,
                   const std::string& title, const Terminal& terminal);

}  // namespace mercer::cli
