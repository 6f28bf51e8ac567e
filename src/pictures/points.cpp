#include "pictures/points.hpp"

#include "core/require.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace mercer {

namespace {

using svg::number;

constexpr double square = 4;                   // pixels of a density square
constexpr int density_shades = 7;              // from one row to the most
constexpr double least_spread = 1e-6;          // of one axis relative to the other; as floats have
constexpr double chi2_95 = 5.991464547107979;  // −2 ln 0.05
constexpr const char* plain = "#0072b2";

std::size_t group_count(const Points& p) { return std::max<std::size_t>(1, p.groups.names.size()); }

std::size_t group_at(const Points& p, Index i) {
  return p.groups.names.empty() ? 0 : p.groups.of_point[static_cast<std::size_t>(i)];
}

bool is_other(const Points& p, std::size_t group) {
  return p.groups.others && group + 1 == p.groups.names.size();
}

std::string colour_of(const Points& p, std::size_t group) {
  if (p.groups.names.empty()) return plain;
  return is_other(p, group) ? svg::label_colour(svg::label_colours) : group_colour(group);
}

bool is_ring(const Points& p, std::size_t group) {
  return group >= svg::label_colours && !is_other(p, group);
}

/// Centre and covariance of a group; none of fewer than three points.
struct Spread {
  bool known = false;
  double mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
};

std::vector<Spread> spreads(const Points& p) {
  std::vector<Spread> out(group_count(p));
  std::vector<double> counts(out.size(), 0);
  for (Index i = 0; i < p.x.size(); ++i) {
    Spread& s = out[group_at(p, i)];
    const double n = ++counts[group_at(p, i)];
    const double dx = p.x[i] - s.mx, dy = p.y[i] - s.my;  // Welford's update
    s.mx += dx / n;
    s.my += dy / n;
    s.xx += dx * (p.x[i] - s.mx);
    s.xy += dx * (p.y[i] - s.my);
    s.yy += dy * (p.y[i] - s.my);
  }
  for (std::size_t g = 0; g < out.size(); ++g) {
    if (counts[g] < 3 || is_other(p, g)) continue;
    Spread& s = out[g];
    for (double* v : {&s.xx, &s.xy, &s.yy}) *v /= counts[g] - 1;
    s.known = s.xx > 0 && s.yy > 0;
  }
  return out;
}

std::string dots(const Points& p, const Frame& frame) {
  const Index n = p.x.size();
  const double radius = n <= 60 ? 4 : n <= 300 ? 3.2 : n <= 1200 ? 2.4 : 1.7;
  std::vector<std::string> circles(group_count(p));
  for (Index i = 0; i < n; ++i)
    circles[group_at(p, i)] +=
        fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"/>\n", number(frame.x(p.x[i])),
                    number(frame.y(p.y[i])), number(radius));
  std::string out;
  for (std::size_t g = 0; g < circles.size(); ++g)
    if (!circles[g].empty())
      out += (is_ring(p, g) ? fmt::format("<g class=\"points\" fill=\"none\" stroke=\"{}\" "
                                          "stroke-width=\"1.2\">\n",
                                          colour_of(p, g))
                            : fmt::format("<g class=\"points\" fill=\"{}\" fill-opacity=\".8\" "
                                          "stroke=\"#ffffff\" stroke-width=\".5\">\n",
                                          colour_of(p, g))) +
             circles[g] + "</g>\n";
  return out;
}

/// Squares in the colour of the group that has most rows there, the darker the more rows there are.
std::string density(const Points& p, const Frame& frame) {
  const auto across = static_cast<Index>(frame.box.width / square) + 1;
  std::map<Index, std::vector<Index>> cells;
  for (Index i = 0; i < p.x.size(); ++i) {
    const auto cx = static_cast<Index>((frame.x(p.x[i]) - frame.box.x) / square);
    const auto cy = static_cast<Index>((frame.y(p.y[i]) - frame.box.y) / square);
    auto& counts = cells[cy * across + cx];
    if (counts.empty()) counts.assign(group_count(p), 0);
    ++counts[group_at(p, i)];
  }
  double most = 1;
  const auto total = [](const std::vector<Index>& counts) {
    double sum = 0;
    for (const Index c : counts) sum += static_cast<double>(c);
    return sum;
  };
  for (const auto& [cell, counts] : cells) most = std::max(most, total(counts));
  std::map<std::pair<std::size_t, int>, std::string> paths;
  for (const auto& [cell, counts] : cells) {
    const auto leader =
        static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
    const double share = most > 1 ? std::log(total(counts)) / std::log(most) : 1;
    const int shade = std::clamp(static_cast<int>(share * density_shades), 0, density_shades - 1);
    const auto right = cell % across, down = cell / across;
    paths[{leader, shade}] +=
        fmt::format("M{} {}h4v4h-4z", number(frame.box.x + square * static_cast<double>(right)),
                    number(frame.box.y + square * static_cast<double>(down)));
  }
  std::string out = "<g class=\"density\" shape-rendering=\"crispEdges\">\n";
  for (const auto& [key, path] : paths)
    out +=
        fmt::format("<path fill=\"{}\" fill-opacity=\"{}\" d=\"{}\"/>\n", colour_of(p, key.first),
                    number(0.35 + 0.65 * key.second / (density_shades - 1)), path);
  return out + "</g>\n";
}

}  // namespace

Points points_of(Vector<double> x, Vector<double> y, const PlotOptions& options) {
  const Index n = x.size();
  require(n > 0, Errc::bad_data, "there are no rows to draw");
  require(x.allFinite() && y.allFinite(), Errc::bad_data, "scores are not all finite");
  require(options.labels.empty() || static_cast<Index>(options.labels.size()) == n,
          Errc::bad_option, "there are {} labels for {} rows", options.labels.size(), n);
  require(options.most_points >= 0, Errc::bad_option, "`most_points={}` is negative",
          options.most_points);
  Points out{std::move(x), std::move(y), {}, n > options.most_points, std::max(n, options.of_rows)};
  // Squares have no rings.
  out.groups = group(options.labels, out.dense ? svg::label_colours : most_groups);
  return out;
}

Ranges ranges_of(const Points& p, bool ellipses) {
  Ranges out{{p.x.minCoeff(), p.x.maxCoeff()}, {p.y.minCoeff(), p.y.maxCoeff()}};
  if (ellipses)
    for (const Spread& s : spreads(p)) {
      if (!s.known) continue;
      const double rx = std::sqrt(chi2_95 * s.xx), ry = std::sqrt(chi2_95 * s.yy);
      out.x = {std::min(out.x.low, s.mx - rx), std::max(out.x.high, s.mx + rx)};
      out.y = {std::min(out.y.low, s.my - ry), std::max(out.y.high, s.my + ry)};
    }
  require(std::isfinite(out.x.high - out.x.low) && std::isfinite(out.y.high - out.y.low),
          Errc::bad_data, "scores are too far apart to draw");
  return out;
}

Frame equal_frame(const Ranges& ranges, const Box& box, bool always) {
  Range x = ranges.x, y = ranges.y;
  // A spread of rounding errors is a line, not a cloud.
  const double wide = x.high - x.low, high = y.high - y.low;
  always = always || std::min(wide, high) < least_spread * std::max(wide, high);
  const double unit_x = (x.high - x.low) / box.width, unit_y = (y.high - y.low) / box.height;
  const double ratio = unit_x / unit_y;
  const auto widen = [](Range& range, double extent) {
    const double middle = (range.low + range.high) / 2;
    range = {middle - extent / 2, middle + extent / 2};
  };
  if (always || (ratio > 0.4 && ratio < 2.5)) {
    const double unit = std::max(unit_x, unit_y);
    if (unit > 0) {
      widen(x, unit * box.width);
      widen(y, unit * box.height);
    }
  }
  return {box, AxisScale(x.low, x.high, false, box.width),
          AxisScale(y.low, y.high, false, box.height)};
}

std::string points_svg(const Points& points, const Frame& frame) {
  return points.dense ? density(points, frame) : dots(points, frame);
}

std::string ellipses_svg(const Points& p, const Frame& frame) {
  std::string out;
  const std::vector<Spread> all = spreads(p);
  for (std::size_t g = 0; g < all.size(); ++g) {
    const Spread& s = all[g];
    if (!s.known) continue;
    // Columns of a factor of the covariance carry the circle to the ellipse.
    const double a = std::sqrt(s.xx), b = s.xy / a, c = std::sqrt(std::max(0.0, s.yy - b * b));
    std::string path;
    for (int i = 0; i < 72; ++i) {
      const double t = 6.283185307179586 * i / 72, r = std::sqrt(chi2_95);
      path +=
          fmt::format("{}{} {}", i == 0 ? "M" : " ", number(frame.x(s.mx + r * a * std::cos(t))),
                      number(frame.y(s.my + r * (b * std::cos(t) + c * std::sin(t)))));
    }
    out += fmt::format(
        "<path class=\"ellipse\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"{} d=\"{}z\"/>\n",
        colour_of(p, g), is_ring(p, g) ? " stroke-dasharray=\"4 3\"" : "", path);
  }
  return out;
}

std::vector<LegendEntry> legend_of(const Points& p) {
  std::vector<LegendEntry> out;
  for (std::size_t g = 0; g < p.groups.names.size(); ++g) {
    const std::string& name = p.groups.names[g];
    out.push_back({name.empty() ? "(none)" : name, colour_of(p, g),
                   p.dense         ? Mark::bar
                   : is_ring(p, g) ? Mark::ring
                                   : Mark::dot});
  }
  return out;
}

std::vector<std::string> notes_of(const Points& p, bool ellipses) {
  std::vector<std::string> out;
  const Index n = p.x.size();
  std::string rows = n < p.of_rows ? fmt::format("{} of {} rows, evenly spaced", with_commas(n),
                                                 with_commas(p.of_rows))
                                   : fmt::format("{} rows", with_commas(n));
  if (p.dense)
    rows += p.groups.names.empty() ? ", as density"
                                   : ", as density, in the colour of the most frequent label";
  if (p.dense || n < p.of_rows) out.push_back(rows);
  if (ellipses)
    out.emplace_back("Ellipses contain 95 % of a Gaussian with the label's mean and covariance");
  return out;
}

}  // namespace mercer
