#include "terminal/learn_chart.hpp"

#include "pictures/run_chart.hpp"
#include "terminal/axis.hpp"
#include "terminal/canvas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::cli {

namespace {

constexpr int height = 9, margin = 8;
constexpr std::size_t most_modes = 3;
constexpr int colours[most_modes] = {33, 208, 36}, theory_grey = 245;

/// One value a line of the panel, as it is drawn.
double drawn(double y, bool logarithmic) { return logarithmic ? std::log10(y) : y; }

std::vector<std::string> chart(const ChartPanel& panel, const std::vector<double>& x,
                               const std::string& range, int width, const Terminal& terminal) {
  const int across = terminal.unicode ? 2 : 1, down = terminal.unicode ? 4 : 1;
  std::vector<double> xs, ys;
  struct Point {
    double x, y;
    int group;
  };
  std::vector<Point> points;  // ODE: group 0; run: 1 + mode
  for (const Series& s : panel.series) {
    if (s.colour >= most_modes) continue;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double y = drawn(s.y[i], panel.logarithmic);
      if (!std::isfinite(y)) continue;
      points.push_back({x[i], y, s.dots ? 1 + static_cast<int>(s.colour) : 0});
      xs.push_back(x[i]);
      ys.push_back(y);
    }
  }
  std::vector<std::string> lines{std::string(margin, ' ') + panel.title +
                                 (panel.logarithmic ? " (log10)" : "")};
  if (points.empty()) return lines;
  const Axis ax(xs, width * across), ay(ys, height * down);
  Canvas canvas(width, height, 1 + most_modes);
  for (const Point& p : points) canvas.set(ax.dot(p.x), ay.dot(p.y), across, down, p.group);
  std::vector<std::string> numbers(height);
  for (const auto& tick : ay.ticks(3))
    numbers[static_cast<std::size_t>(height - 1 - tick.dot / down)] = tick.text;
  for (int row = 0; row < height; ++row) {
    const std::string& number = numbers[static_cast<std::size_t>(row)];
    std::string line = terminal.dim(
        padded_left(number, margin - 1) + " " +
        (terminal.unicode ? (number.empty() ? "│" : "┤") : (number.empty() ? "|" : "+")));
    Painter painter(terminal);
    for (int column = 0; column < width; ++column) {
      int group = canvas.group(row, column);
      for (int mode = most_modes; mode >= 1; --mode)  // the run is seen before the ODE
        if (canvas.count(row, column, mode) > 0) group = mode;
      if (group < 0) painter.add(-1, " ");
      else if (terminal.unicode)
        painter.add(group == 0 ? theory_grey : colours[group - 1],
                    braille(canvas.dots(row, column)));
      else painter.add(-1, group == 0 ? "." : std::string(1, static_cast<char>('0' + group)));
    }
    lines.push_back(line + painter.take());
  }
  lines.push_back(terminal.dim(std::string(margin, ' ') + (terminal.unicode ? "└" : "+") + range));
  return lines;
}

/// Columns that are seen: escape sequences take none.
std::size_t seen(const std::string& line) {
  std::string plain;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b')
      while (i < line.size() && line[i] != 'm') ++i;
    else plain += line[i];
  }
  return columns_of(plain);
}

}  // namespace

std::string run_charts(const std::vector<TraceRow>& trace, const Terminal& terminal) {
  if (trace.empty()) return {};
  const TimeAxis axis = time_axis(trace);
  std::vector<double> time = axis.time;
  if (axis.logarithmic)
    for (double& t : time) t = std::log10(t);
  const std::string range =
      fmt::format(" t = {:.3g} {} {:.3g}{}", axis.time.front(), terminal.unicode ? "…" : "to",
                  axis.time.back(), axis.logarithmic ? " (log)" : "");
  const std::vector<ChartPanel> panels = run_panels(trace);
  const bool beside = terminal.width >= 78;
  const int room = std::min(terminal.width, 120);
  const int width = std::max(20, (beside ? room / 2 : room) - margin - 3);
  std::string out;
  for (std::size_t i = 0; i < panels.size(); i += beside ? 2 : 1) {
    const std::vector<std::string> a = chart(panels[i], time, range, width, terminal);
    const std::vector<std::string> b = beside && i + 1 < panels.size()
                                           ? chart(panels[i + 1], time, range, width, terminal)
                                           : std::vector<std::string>{};
    for (std::size_t l = 0; l < std::max(a.size(), b.size()); ++l) {
      std::string line = l < a.size() ? a[l] : "";
      if (l < b.size()) {
        const std::size_t used = seen(line), wanted = std::size_t(width) + std::size_t{margin} + 3;
        line += std::string(used < wanted ? wanted - used : 1, ' ') + b[l];
      }
      while (line.ends_with(' ')) line.pop_back();
      out += line + "\n";
    }
  }
  const bool theory = !trace.front().modes.empty();
  if (!theory) return out;
  std::string key = std::string(margin, ' ');
  for (std::size_t j = 0; j < std::min(most_modes, trace.front().modes.size()); ++j)
    key += (terminal.unicode ? terminal.paint(colours[j], "●") : fmt::format("{}", j + 1)) +
           fmt::format(" mode {}   ", j + 1);
  key += (terminal.unicode ? terminal.paint(theory_grey, "●") : ".") + std::string(" the ODE\n");
  return out + key;
}

}  // namespace mercer::cli
