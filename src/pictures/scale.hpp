#pragma once
// An axis: from numbers to pixels, with its ticks.

#include "pictures/svg.hpp"

#include <cmath>
#include <vector>

namespace mercer {

/// An axis of `length` pixels, perhaps logarithmic, with a margin at both ends.
class AxisScale {
 public:
  AxisScale(double low, double high, bool logarithmic, double length);
  double at(double value) const {
    return ((logarithmic_ ? std::log10(value) : value) - low_) / (high_ - low_) * length_;
  }
  /// About `count` of them; powers of ten where a logarithmic axis has two or more.
  std::vector<svg::Tick> ticks(int count) const;

 private:
  bool logarithmic_;
  double length_, low_ = 0, high_ = 1;
};

}  // namespace mercer
