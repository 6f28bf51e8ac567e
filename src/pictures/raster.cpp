#include "pictures/raster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace mercer {

namespace {

using svg::number;

/// From one end to the other (Blues and PuOr, colorbrewer2.org).
svg::Colour between(std::span<const svg::Colour> stops, double share) {
  const double at = std::clamp(share, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(at), stops.size() - 2);
  svg::Colour out{};
  for (std::size_t c = 0; c < 3; ++c)
    out[c] = stops[i][c] + (at - static_cast<double>(i)) * (stops[i + 1][c] - stops[i][c]);
  return out;
}

constexpr std::array<svg::Colour, 5> blue_stops = {
    {{255, 255, 255}, {198, 219, 239}, {107, 174, 214}, {33, 113, 181}, {8, 48, 107}}};
constexpr std::array<svg::Colour, 5> violet_stops = {
    {{84, 39, 136}, {153, 142, 195}, {250, 250, 250}, {241, 163, 64}, {179, 88, 6}}};
constexpr std::array<svg::Colour, 2> grey_stops = {{{255, 255, 255}, {20, 20, 20}}};

}  // namespace

Shades Shades::of(const Matrix<double>& values) {
  const double low = values.minCoeff(), high = values.maxCoeff();
  if (low < 0) {
    const double size = std::max(-low, high);
    return {-size, size, Kind::violet_to_orange};
  }
  return {0, high > 0 ? high : 1, Kind::blues};
}

int Shades::level(double value) const {
  const double share = (value - low_) / (high_ - low_);
  return std::clamp(static_cast<int>(std::lround(share * (count - 1))), 0, count - 1);
}

std::string Shades::colour(int level) const {
  const double share = static_cast<double>(level) / (count - 1);
  switch (kind_) {
    case Kind::blues:
      return svg::hex(between(blue_stops, share));
    case Kind::violet_to_orange:
      return svg::hex(between(violet_stops, share));
    case Kind::greys:
      break;
  }
  return svg::hex(between(grey_stops, share));
}

Matrix<double> block_means(const Matrix<double>& values, Index most) {
  const auto blocks = [&](Index n) { return std::min(n, most); };
  const Index rows = blocks(values.rows()), cols = blocks(values.cols());
  if (rows == values.rows() && cols == values.cols()) return values;
  Matrix<double> out(rows, cols);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) {
      const Index top = i * values.rows() / rows, bottom = (i + 1) * values.rows() / rows;
      const Index left = j * values.cols() / cols, right = (j + 1) * values.cols() / cols;
      out(i, j) = values.block(top, left, bottom - top, right - left).mean();
    }
  return out;
}

std::string raster_svg(const Matrix<double>& values, const Box& box, const Shades& shades) {
  std::map<int, std::string> paths;
  for (Index i = 0; i < values.rows(); ++i)
    for (Index j = 0; j < values.cols();) {
      const int level = shades.level(values(i, j));
      Index end = j + 1;
      while (end < values.cols() && shades.level(values(i, end)) == level) ++end;
      paths[level] += fmt::format("M{} {}h{}v1h-{}z", j, i, end - j, end - j);
      j = end;
    }
  // In units of entries: neighbours share their edges exactly.
  std::string out = fmt::format(
      "<g class=\"raster\" shape-rendering=\"crispEdges\" transform=\"translate({} {})scale({:.6g} "
      "{:.6g})\">\n",
      number(box.x), number(box.y), box.width / static_cast<double>(values.cols()),
      box.height / static_cast<double>(values.rows()));
  for (const auto& [level, path] : paths)
    out += fmt::format("<path fill=\"{}\" d=\"{}\"/>\n", shades.colour(level), path);
  return out + "</g>\n";
}

std::string shades_bar(const Shades& shades, const Box& box) {
  Matrix<double> column(Shades::count, 1);
  for (Index i = 0; i < Shades::count; ++i)
    column(i, 0) = shades.high() +
                   (shades.low() - shades.high()) * static_cast<double>(i) / (Shades::count - 1);
  std::string out = raster_svg(column, box, shades) + Figure::border(box);
  for (const svg::Tick& tick :
       svg::ticks(shades.low(), shades.high(), std::max(2, static_cast<int>(box.height / 50)))) {
    const double share = (tick.value - shades.low()) / (shades.high() - shades.low());
    const double y = box.y + box.height * (1 - share);
    out +=
        fmt::format("<path class=\"tick\" d=\"M{} {}h4\"/>", number(box.x + box.width), number(y)) +
        text_at(box.x + box.width + 7, y + 4, "start", tick.text);
  }
  return out;
}

}  // namespace mercer
