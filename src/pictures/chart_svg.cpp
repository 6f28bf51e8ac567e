#include "core/require.hpp"
#include "pictures/run_chart.hpp"
#include "pictures/scale.hpp"
#include "pictures/svg.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

using svg::number;

/// Between the title of the y axis and the edge; the least distance of that title from the axis.
constexpr double title_left = 18, title_at_least = 56;
constexpr double digit_width = 7.7;  // of the widest usual font at this size
constexpr double panel_right = 16, title_height = 30, panel_bottom = 50, legend_height = 30;
constexpr double most_dots = 160;   // a series
constexpr double smallest = 1e-18;  // of a logarithmic axis: below is rounding

bool usable(double y, bool logarithmic) {
  return std::isfinite(y) && (!logarithmic || y >= smallest);
}

AxisScale y_scale(const ChartPanel& panel, double height) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Series& s : panel.series)
    for (const double y : s.y)
      if (usable(y, panel.logarithmic)) {
        low = std::min(low, y);
        high = std::max(high, y);
      }
  if (!(low <= high)) return AxisScale(1, 0, false, height);
  return AxisScale(low, high, panel.logarithmic, height);
}

/// Distance of the y titles from their axes: beyond the widest tick label of all panels, so that
/// panels are aligned.
double title_distance(const std::vector<ChartPanel>& panels, double height) {
  std::size_t widest = 0;
  for (const ChartPanel& panel : panels)
    for (const svg::Tick& tick : y_scale(panel, height).ticks(5))
      widest = std::max(widest, static_cast<std::size_t>(std::count_if(
                                    tick.text.begin(), tick.text.end(),
                                    [](char c) { return (c & 0xC0) != 0x80; })));  // characters
  return std::max(title_at_least, std::ceil(14 + digit_width * static_cast<double>(widest)));
}

struct PanelFrame {
  double width, height;
  const std::vector<double>& x;
  AxisScale across;
  double title_at;  ///< left of the axis
};

std::string line(const Series& s, const PanelFrame& frame, const AxisScale& up, bool logarithmic) {
  std::string path;
  bool pen = false;
  for (std::size_t i = 0; i < s.y.size(); ++i) {
    const bool shown = usable(s.y[i], logarithmic);
    if (shown)
      path += fmt::format("{}{} {}", pen ? " " : "M", number(frame.across.at(frame.x[i])),
                          number(frame.height - up.at(s.y[i])));
    pen = shown;
  }
  if (path.empty()) return {};
  return fmt::format("<path class=\"ode\" stroke=\"{}\" d=\"{}\"/>\n", svg::label_colour(s.colour),
                     path);
}

std::string dots(const Series& s, const PanelFrame& frame, const AxisScale& up, bool logarithmic) {
  const double apart = frame.width / most_dots;
  double last = -apart;
  std::string out;
  for (std::size_t i = 0; i < s.y.size(); ++i) {
    const double x = frame.across.at(frame.x[i]);
    if (!usable(s.y[i], logarithmic) || x < last + apart) continue;
    last = x;
    out += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"1.7\"/>\n", number(x),
                       number(frame.height - up.at(s.y[i])));
  }
  return fmt::format("<g class=\"run\" fill=\"{}\">\n{}</g>\n", svg::label_colour(s.colour), out);
}

std::string axes(const ChartPanel& panel, const PanelFrame& frame, const AxisScale& up,
                 const std::string& x_title) {
  std::string out;
  for (const svg::Tick& tick : frame.across.ticks(5))
    out += fmt::format(
        "<path class=\"tick\" d=\"M{0} {1}v4\"/><text x=\"{0}\" y=\"{2}\" "
        "text-anchor=\"middle\">{3}</text>\n",
        number(frame.across.at(tick.value)), number(frame.height), number(frame.height + 17),
        tick.text);
  for (const svg::Tick& tick : up.ticks(5)) {
    const double y = frame.height - up.at(tick.value);
    out += fmt::format(
        "<path class=\"grid\" d=\"M0 {0}h{1}\"/><path class=\"tick\" d=\"M0 {0}h-4\"/>"
        "<text x=\"-7\" y=\"{2}\" text-anchor=\"end\">{3}</text>\n",
        number(y), number(frame.width), number(y + 4), tick.text);
  }
  out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                     number(frame.width / 2), number(frame.height + 36), svg::text(x_title, 60));
  return out + fmt::format(
                   "<text transform=\"translate({} {})rotate(-90)\" "
                   "text-anchor=\"middle\">{}</text>\n",
                   number(-frame.title_at), number(frame.height / 2), svg::text(panel.y_title, 60));
}

std::string panel_svg(const ChartPanel& panel, const PanelFrame& frame,
                      const std::string& x_title) {
  const AxisScale up = y_scale(panel, frame.height);
  std::string out =
      fmt::format("<text y=\"-8\" font-weight=\"bold\">{}</text>\n", svg::text(panel.title, 60));
  out += axes(panel, frame, up, x_title);
  for (const Series& s : panel.series)
    out += s.dots ? dots(s, frame, up, panel.logarithmic) : line(s, frame, up, panel.logarithmic);
  return out + fmt::format("<rect class=\"frame\" width=\"{}\" height=\"{}\"/>\n",
                           number(frame.width), number(frame.height));
}

/// Every name once, in its colour; then what dots and lines are.
std::string legend(const std::vector<ChartPanel>& panels, double left, double y) {
  std::vector<const Series*> names;
  bool lines = false;
  for (const ChartPanel& panel : panels)
    for (const Series& s : panel.series) {
      lines = lines || !s.dots;
      const bool known = std::any_of(names.begin(), names.end(),
                                     [&](const Series* n) { return n->name == s.name; });
      if (!known) names.push_back(&s);
    }
  double x = left;
  std::string out;
  if (lines) {
    for (const Series* s : names) {
      out += fmt::format(
          "<rect x=\"{}\" y=\"{}\" width=\"10\" height=\"10\" fill=\"{}\"/><text x=\"{}\" "
          "y=\"{}\">{}</text>\n",
          number(x), number(y - 9), svg::label_colour(s->colour), number(x + 15), number(y),
          svg::text(s->name, 24));
      x += 34 + 7 * static_cast<double>(s->name.size());
    }
  }
  out +=
      fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"2.4\"/><text x=\"{}\" y=\"{}\">the run</text>\n",
                  number(x + 14), number(y - 4), number(x + 22), number(y));
  if (lines)
    out += fmt::format(
        "<path class=\"ode\" stroke=\"#222222\" d=\"M{} {}h22\"/><text x=\"{}\" "
        "y=\"{}\">its ODE</text>\n",
        number(x + 84), number(y - 4), number(x + 112), number(y));
  return out;
}

}  // namespace

std::string chart_svg(const std::vector<ChartPanel>& panels, const TimeAxis& x,
                      const std::string& x_title, const std::string& title, int size) {
  const double width = size, height = std::round(0.62 * size);
  const double title_at = title_distance(panels, height), panel_left = title_at + title_left;
  const double cell_width = panel_left + width + panel_right,
               cell_height = title_height + height + panel_bottom;
  const double top = title.empty() ? 0 : 24;
  const std::size_t line_count = (panels.size() + 1) / 2;
  const auto lines = static_cast<double>(line_count);
  const double total_width = 2 * cell_width, panels_end = top + lines * cell_height;
  const auto [least, most] = std::minmax_element(x.time.begin(), x.time.end());
  const PanelFrame frame{width, height, x.time, AxisScale(*least, *most, x.logarithmic, width),
                         title_at};
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222222\">\n<title>{2}</title>\n"
      "<style>.ode{{fill:none;stroke-width:1.6;stroke-linejoin:round}}.run{{fill-opacity:.75}}"
      ".grid{{fill:none;stroke:#e4e4e4}}.tick,.frame{{fill:none;stroke:#555555}}</style>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      number(total_width), number(panels_end + legend_height),
      title.empty() ? "A learning run and its theory" : svg::text(title, 100));
  if (!title.empty())
    out += fmt::format("<text x=\"{}\" y=\"20\" font-size=\"14\" font-weight=\"bold\">{}</text>\n",
                       number(panel_left), svg::text(title, 100));
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const std::size_t above = i / 2;
    const auto row = static_cast<double>(above), column = static_cast<double>(i % 2);
    out += fmt::format(
        "<g transform=\"translate({} {})\">\n{}</g>\n", number(panel_left + column * cell_width),
        number(top + title_height + row * cell_height), panel_svg(panels[i], frame, x_title));
  }
  return out + legend(panels, panel_left, panels_end + 12) + "</svg>\n";
}

}  // namespace mercer
