#include "terminal/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::cli {

Axis::Axis(const std::vector<double>& values, int dots) : low_(0), high_(0), dots_(dots) {
  if (!values.empty()) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    low_ = *low;
    high_ = *high;
  }
  // Half a dot on each side; the difference of huge numbers may overflow, their halves do not.
  double margin = (high_ / 2 - low_ / 2) * 2 / std::max(1, 2 * dots);
  if (!(margin > 1e-12 * std::max(std::abs(low_), std::abs(high_))))
    margin = std::max(std::abs(low_) * 0.1, 1e-300);
  if (low_ == 0 && high_ == 0) margin = 1;
  low_ -= margin;
  high_ += margin;
}

int Axis::dot(double value) const {
  const double share = (value / 2 - low_ / 2) / (high_ / 2 - low_ / 2);
  return std::clamp(static_cast<int>(share * dots_), 0, dots_ - 1);
}

std::vector<Axis::Tick> Axis::ticks(int count) const {
  std::vector<Tick> out;
  const double raw = (high_ / 2 - low_ / 2) / count * 2;
  if (!std::isfinite(raw) || !(raw > 0)) return out;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  const double lead = raw / power;
  const double step = power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
  if (!std::isfinite(step) || !(step > 0)) return out;
  const double first = std::ceil(low_ / step);
  for (int i = 0; i <= 2 * count + 2; ++i) {
    const double value = (first + i) * step;
    if (!(value <= high_)) break;
    out.push_back({dot(value), fmt::format("{:.4g}", value == 0 ? 0.0 : value)});
  }
  return out;
}

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

}  // namespace mercer::cli
