#include "core/require.hpp"
#include "pictures/contour_lines.hpp"
#include "pictures/groups.hpp"
#include "pictures/plane.hpp"
#include "pictures/svg.hpp"

#include <mercer/picture.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace mercer {

namespace {

using svg::number;

constexpr Index most_panels = 64;
constexpr double panel_gap = 14, panel_title = 22, left_margin = 62, bottom_margin = 44,
                 legend_row = 20;

/// Where panels stand, and points in them.
struct Layout {
  Layout(const Plane& plane, Index count, int size) : shown(plane), panels(count), width(size) {
    // Both axes to one scale, unless that makes a ribbon.
    const double ratio = (plane.high[1] - plane.low[1]) / (plane.high[0] - plane.low[0]);
    height = std::round(width * std::clamp(ratio, 0.5, 2.0));
    const Index rows = (count + 3) / 4;
    across = (count + rows - 1) / rows;
    down = (count + across - 1) / across;
    columns = size / 2 + 1;
    lines = static_cast<Index>(height / 2) + 1;
  }
  double total_width() const {
    return left_margin + static_cast<double>(across) * (width + panel_gap);
  }
  double panels_height() const {
    return static_cast<double>(down) * (height + panel_title) + bottom_margin;
  }
  double x(double value) const {
    return (value - shown.low[0]) / (shown.high[0] - shown.low[0]) * width;
  }
  double y(double value) const {
    return (shown.high[1] - value) / (shown.high[1] - shown.low[1]) * height;
  }

  const Plane& shown;
  Index panels, across = 1, down = 1;
  double width, height;
  Index columns, lines;  ///< of the grid that scores are computed on: a point every two pixels
};

/// The scores of components on the grid, one row a grid point, from the top left.
template <class T>
Matrix<double> scores_on_grid(const Model<T>& model, const std::vector<Index>& chosen,
                              const Layout& at, const ContourOptions& options) {
  const Index points = at.columns * at.lines, block = 2048;
  Matrix<double> scores(points, at.panels);
  Matrix<T> x(std::min(block, points), 2);
  const Plane& plane = at.shown;
  const auto along = [](double low, double high, Index i, Index n) {
    const double t = static_cast<double>(i) / static_cast<double>(n - 1);
    return static_cast<T>(low + t * (high - low));
  };
  for (Index first = 0; first < points; first += block) {
    const Index n = std::min(block, points - first);
    for (Index i = 0; i < n; ++i) {
      x(i, 0) = along(plane.low[0], plane.high[0], (first + i) % at.columns, at.columns);
      x(i, 1) = along(plane.high[1], plane.low[1], (first + i) / at.columns, at.lines);
    }
    const Matrix<T> part = model.transform(
        Rows<T>(x).middle(0, n), {.threads = options.threads, .monitor = options.monitor});
    for (Index c = 0; c < at.panels; ++c)
      scores.col(c).segment(first, n) =
          part.col(chosen[static_cast<std::size_t>(c)]).template cast<double>();
  }
  require(scores.allFinite(), Errc::bad_data, "the scores of points in the plane overflow");
  return scores;
}

/// Path data; lines are in units of the grid.
std::string path(const std::vector<Polyline>& lines, const Layout& at) {
  const double dx = at.width / static_cast<double>(at.columns - 1);
  const double dy = at.height / static_cast<double>(at.lines - 1);
  std::string out;
  for (const Polyline& line : lines) {
    Polyline scaled = line;
    for (PlanePoint& p : scaled) p = {p.x * dx, p.y * dy};
    const Polyline points = simplified(scaled, 0.05);
    if (points.size() < 2) continue;
    const bool ring = points.front() == points.back() && points.size() > 2;
    const std::size_t count = points.size() - (ring ? 1 : 0);
    for (std::size_t i = 0; i < count; ++i)
      out += fmt::format("{}{} {}", i == 0 ? "M" : " ", number(points[i].x), number(points[i].y));
    if (ring) out += "z";
  }
  return out;
}

/// Bands of colour, then lines: levels are the multiples of one step, so 0 is one of them.
std::string surface(const Matrix<double>& values, int levels, const Layout& at) {
  const double low = values.minCoeff(), high = values.maxCoeff();
  const double largest = std::max(std::abs(low), std::abs(high));
  const double step = (high - low) / (levels + 1);
  const auto rectangle = [&](double value) {
    return fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", number(at.width),
                       number(at.height),
                       svg::hex(svg::diverging(largest > 0 ? value / largest : 0)));
  };
  if (!(step > 1e-12 * largest)) return rectangle(low);  // flat: rounding has no contours
  const double first = std::floor(low / step) + 1;
  std::string fills = rectangle((first - 0.5) * step), lines, zero;
  for (double c = first; c * step < high; ++c) {
    const double level = c * step;
    const std::string region = path(region_above(values, level), at);
    const std::string line = path(level_lines(values, level), at);
    if (!region.empty())
      fills += fmt::format("<path fill=\"{}\" d=\"{}\"/>\n",
                           svg::hex(svg::diverging((c + 0.5) * step / largest)), region);
    if (!line.empty())
      (c == 0 ? zero : lines) +=
          fmt::format("<path{} d=\"{}\"/>\n", c == 0 ? " class=\"zero\"" : "", line);
  }
  return "<g fill-rule=\"evenodd\">\n" + fills + "</g>\n<g class=\"lines\">\n" + lines + zero +
         "</g>\n";
}

/// The dots of all panels, defined once. The id is a hash of them: several pictures may stand in
/// one HTML page.
struct Dots {
  std::string id, definition;
};

Dots dots(const Groups& groups, Index most, const Layout& at) {
  const Matrix<double>& points = at.shown.points;
  const Index n = points.rows(), drawn = std::min(n, most);
  if (drawn == 0) return {};
  const bool labelled = !groups.names.empty();
  std::vector<std::string> circles(labelled ? groups.names.size() : 1);
  const std::string radius = number(drawn > 500 ? 1.6 : 2.2);
  for (Index d = 0; d < drawn; ++d) {
    const Index i = drawn == n ? d : d * n / drawn;
    const double x = at.x(points(i, 0)), y = at.y(points(i, 1));
    circles[labelled ? groups.of_point[static_cast<std::size_t>(i)] : 0] +=
        fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"/>\n", number(x), number(y), radius);
  }
  Dots out;
  for (std::size_t g = 0; g < circles.size(); ++g)
    if (!circles[g].empty())
      out.definition += fmt::format("<g fill=\"{}\">\n{}</g>\n",
                                    labelled ? svg::label_colour(g) : "#333333", circles[g]);
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (const char c : out.definition)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  out.id = fmt::format("rows-{:016x}", hash);
  out.definition =
      fmt::format("<defs>\n<g id=\"{}\" stroke=\"#ffffff\" stroke-width=\".5\">\n{}</g>\n</defs>\n",
                  out.id, out.definition);
  return out;
}

std::string ticks_below(const Layout& at, const std::string& name) {
  std::string out;
  for (const svg::Tick& tick : svg::ticks(at.shown.low[0], at.shown.high[0], 4)) {
    const std::string x = number(at.x(tick.value));
    out += fmt::format(
        "<path class=\"tick\" d=\"M{0} {1}v4\"/><text x=\"{0}\" y=\"{2}\" "
        "text-anchor=\"middle\">{3}"
        "</text>\n",
        x, number(at.height), number(at.height + 16), tick.text);
  }
  return out + fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                           number(at.width / 2), number(at.height + 33), svg::text(name));
}

std::string ticks_left(const Layout& at, const std::string& name) {
  std::string out;
  for (const svg::Tick& tick : svg::ticks(at.shown.low[1], at.shown.high[1], 4)) {
    const double y = at.y(tick.value);
    out += fmt::format(
        "<path class=\"tick\" d=\"M0 {}h-4\"/><text x=\"-7\" y=\"{}\" "
        "text-anchor=\"end\">{}</text>\n",
        number(y), number(y + 3.5), tick.text);
  }
  return out +
         fmt::format(
             "<text transform=\"translate(-48 {})rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
             number(at.height / 2), svg::text(name));
}

struct Legend {
  std::string text;
  double height = 0;
};

Legend legend(const Groups& groups, const Layout& at) {
  Legend out;
  double x = left_margin, y = at.panels_height() + 4;
  for (std::size_t g = 0; g < groups.names.size(); ++g) {
    const std::string& name = groups.names[g];
    // Nobody measures letters here: 7 pixels a byte is enough for all but the widest.
    const double width = 34 + 7 * static_cast<double>(std::min<std::size_t>(name.size(), 24));
    if (x > left_margin && x + width > at.total_width()) {
      x = left_margin;
      y += legend_row;
    }
    out.text += fmt::format(
        "<circle cx=\"{}\" cy=\"{}\" r=\"4\" fill=\"{}\"/><text x=\"{}\" y=\"{}\">{}</text>\n",
        number(x + 4), number(y), svg::label_colour(g), number(x + 13), number(y + 4),
        svg::text(name.empty() ? "(none)" : name, 24));
    x += width;
    out.height = y + legend_row - at.panels_height();
  }
  return out;
}

void check(const ContourOptions& options, Index outputs) {
  require(options.components >= 0 && options.components <= outputs, Errc::bad_option,
          "`components={}` exceeds the {} of the model", options.components, outputs);
  for (const Index c : options.chosen)
    require(c >= 0 && c < outputs, Errc::bad_option, "there is no component {}: the model has {}",
            c + 1, outputs);
  const auto panels = std::max(options.components, static_cast<Index>(options.chosen.size()));
  require(panels <= most_panels, Errc::bad_option,
          "`components={}` are more panels than the {} that can be drawn", panels, most_panels);
  require(options.levels >= 1 && options.levels <= 100, Errc::bad_option,
          "`levels={}` is not between 1 and 100", options.levels);
  require(options.size >= 80 && options.size <= 2000, Errc::bad_option,
          "`size={}` is not between 80 and 2000 pixels", options.size);
  require(
      options.labels.empty() || static_cast<Index>(options.labels.size()) == options.points.rows(),
      Errc::bad_option, "there are {} labels for {} points", options.labels.size(),
      options.points.rows());
  require(options.most_points >= 0, Errc::bad_option, "`most_points={}` is negative",
          options.most_points);
}

}  // namespace

template <class T>
std::string contour_svg(const Model<T>& model, const ContourOptions& options) {
  check(options, model.outputs());
  const Plane plane = shown_plane(model, options);
  std::vector<Index> chosen = options.chosen;
  if (chosen.empty()) {
    chosen.resize(static_cast<std::size_t>(
        options.components > 0 ? options.components : std::min<Index>(8, model.outputs())));
    std::iota(chosen.begin(), chosen.end(), Index{0});
  }
  const auto count = static_cast<Index>(chosen.size());
  const Layout at(plane, count, options.size);
  const Matrix<double> scores = scores_on_grid(model, chosen, at, options);
  const Groups groups = group(options.labels, svg::label_colours);
  const Dots points = dots(groups, options.most_points, at);
  const Legend key = legend(groups, at);
  const Vector<double> share = model.explained_variance_ratio();
  const std::vector<std::string>& names = model.feature_names();

  const std::string width = number(at.total_width());
  const std::string height = number(at.panels_height() + key.height);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
      "width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" "
      "font-size=\"11\" fill=\"#222222\">\n<title>Contour lines of {2}</title>\n"
      "<style>.lines{{fill:none;stroke:#555555;stroke-width:.7;stroke-linejoin:round}}"
      ".zero{{stroke:#222222;stroke-width:1.8}}.tick,.frame{{fill:none;stroke:#555555}}</style>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      width, height, count == 1 ? "the first component" : fmt::format("{} components", count));
  out += points.definition;
  for (Index c = 0; c < count; ++c) {
    const Index row = c / at.across, column = c % at.across;
    const Vector<double> values = scores.col(c);
    out += fmt::format(
        "<g transform=\"translate({} {})\">\n<text y=\"-7\"><tspan "
        "font-weight=\"bold\">PC{}</tspan> "
        "{:.1f} %</text>\n",
        number(left_margin + static_cast<double>(column) * (at.width + panel_gap)),
        number(panel_title + static_cast<double>(row) * (at.height + panel_title)),
        chosen[static_cast<std::size_t>(c)] + 1, 100 * share[chosen[static_cast<std::size_t>(c)]]);
    out += surface(Eigen::Map<const Matrix<double>>(values.data(), at.lines, at.columns),
                   options.levels, at);
    if (!points.id.empty()) out += fmt::format("<use xlink:href=\"#{}\"/>\n", points.id);
    out += fmt::format("<rect class=\"frame\" width=\"{}\" height=\"{}\"/>\n", number(at.width),
                       number(at.height));
    // Axes at the left, and where no panel stands below.
    if (c + at.across >= count) out += ticks_below(at, names.empty() ? "x1" : names[0]);
    if (column == 0) out += ticks_left(at, names.empty() ? "x2" : names[1]);
    out += "</g>\n";
  }
  return out + key.text + "</svg>\n";
}

template std::string contour_svg(const Model<float>&, const ContourOptions&);
template std::string contour_svg(const Model<double>&, const ContourOptions&);

}  // namespace mercer
