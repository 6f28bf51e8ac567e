#include "pictures/scale.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mercer {

AxisScale::AxisScale(double low, double high, bool logarithmic, double length)
    : logarithmic_(logarithmic), length_(length) {
  if (logarithmic) {
    low = std::log10(low);
    high = std::log10(high);
  }
  if (!(low <= high)) low = 0, high = 1;  // nothing to show
  const double extent = high - low;
  const double margin = extent > 0 ? 0.04 * extent : std::max(0.5, 0.1 * std::abs(low));
  low_ = low - margin;
  high_ = high + margin;
}

std::vector<svg::Tick> AxisScale::ticks(int count) const {
  std::vector<svg::Tick> out = svg::ticks(low_, high_, count);
  if (!logarithmic_) return out;
  std::vector<svg::Tick> powers;
  for (const svg::Tick& tick : out)
    if (tick.value == std::round(tick.value))
      powers.push_back({std::pow(10.0, tick.value), fmt::format("1e{:.0f}", tick.value)});
  if (powers.size() >= 2) return powers;
  powers.clear();  // less than two decades: plain numbers where they fall
  for (const svg::Tick& tick : out)
    powers.push_back(
        {std::pow(10.0, tick.value), fmt::format("{:.2g}", std::pow(10.0, tick.value))});
  return powers;
}

}  // namespace mercer
