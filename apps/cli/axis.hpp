#pragma once
// An interval on so many dots, with round numbers to mark it.

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

}  // namespace mercer::cli
