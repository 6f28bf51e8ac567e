// The decay of the other modes relative to the first.
#include "core/require.hpp"
#include "pictures/figure.hpp"

#include <mercer/figures.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

using svg::number;

constexpr double least_alpha = 1e-18;  // below is rounding

/// |α| of a mode over time; NaN where it is unknown or 0.
std::vector<double> sizes_of(const std::vector<TraceRow>& trace, std::size_t mode,
                             double TraceRow::Mode::*of) {
  std::vector<double> out;
  for (const TraceRow& row : trace) {
    const double size = std::abs(row.modes[mode].*of);
    out.push_back(std::isfinite(size) && size >= least_alpha
                      ? size
                      : std::numeric_limits<double>::quiet_NaN());
  }
  return out;
}

/// λ₁ − λ_j, the slope of the theory; NaN when it has fewer than two values.
double decay_rate(const std::vector<TraceRow>& trace, const std::vector<double>& theory) {
  std::size_t first = theory.size(), last = 0;
  for (std::size_t i = 0; i < theory.size(); ++i)
    if (std::isfinite(theory[i])) {
      first = std::min(first, i);
      last = i;
    }
  if (first >= last || !(trace[last].time > trace[first].time))
    return std::numeric_limits<double>::quiet_NaN();
  return std::log(theory[first] / theory[last]) / (trace[last].time - trace[first].time);
}

}  // namespace

std::string alpha_svg(const std::vector<TraceRow>& trace, const PlotOptions& options) {
  require(!trace.empty(), Errc::bad_option, "the trace has no rows to draw");
  const std::size_t modes = trace.front().modes.size();
  require(modes > 0, Errc::bad_option, "the decay of the modes needs a trace with `theory`");
  require(modes >= 2, Errc::bad_option,
          "the decay of the modes needs a trace of two modes; this one has {}", modes);
  const std::size_t shown = std::min(modes - 1, svg::label_colours);
  std::vector<std::vector<double>> run(shown), theory(shown);
  std::vector<LegendEntry> legend;
  std::vector<double> known;
  for (std::size_t j = 0; j < shown; ++j) {
    run[j] = sizes_of(trace, j + 1, &TraceRow::Mode::alpha);
    theory[j] = sizes_of(trace, j + 1, &TraceRow::Mode::ode_alpha);
    const double rate = decay_rate(trace, theory[j]);
    legend.push_back({std::isfinite(rate) ? fmt::format("k = {}, rate {:.3g}", j + 2, rate)
                                          : fmt::format("k = {}", j + 2),
                      svg::label_colour(j), Mark::line});
    for (const double y : run[j])
      if (std::isfinite(y)) known.push_back(y);
  }
  require(!known.empty(), Errc::bad_data,
          "the trace has no modes that decay: q1 \u00b7 w is 0, or all others are");
  std::ranges::sort(known);
  // A mode that changes its sign comes arbitrarily near 0; and the exponentials fall for ever.
  const double low = 0.6 * known[known.size() / 50];
  double high = known.back();
  bool below = false;
  for (auto* lines : {&run, &theory})
    for (std::vector<double>& line : *lines)
      for (double& y : line) {
        if (y < low) {
          below = below || lines == &run;
          y = std::numeric_limits<double>::quiet_NaN();
        }
        if (std::isfinite(y)) high = std::max(high, y);
      }
  std::vector<std::string> notes = {
      "Dots: the run; lines: the theory, a factor of exp(\u2212rate t) with rate \u03bb1 \u2212 "
      "\u03bbk"};
  if (below) notes.emplace_back("Smaller values are not shown: at most 2 % of the dots");
  if (shown < modes - 1) notes.push_back(fmt::format("The first {} of {} modes", shown + 1, modes));
  const Figure figure(options, "Decay of the other modes", legend, notes);
  const Box& b = figure.box();
  double first = trace.front().time, last = first;
  for (const TraceRow& row : trace) {
    first = std::min(first, row.time);
    last = std::max(last, row.time);
  }
  const Frame frame{b, AxisScale(first, last, false, b.width),
                    AxisScale(low, high, true, b.height)};
  std::string out = Figure::axes(frame, "time t = \u03a3\u03b7 (1 / variance)",
                                 "|\u03b8k / \u03b81|, \u03b8k = qk \u00b7 w");
  for (std::size_t j = 0; j < shown; ++j) {
    std::string path;
    bool pen = false;
    for (std::size_t i = 0; i < trace.size(); ++i) {
      const double y = theory[j][i];
      if (std::isfinite(y))
        path += fmt::format("{}{} {}", pen ? " " : "M", number(frame.x(trace[i].time)),
                            number(frame.y(y)));
      pen = std::isfinite(y);
    }
    if (!path.empty())
      out += fmt::format(
          "<path class=\"theory\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\" d=\"{}\"/>\n",
          svg::label_colour(j), path);
  }
  for (std::size_t j = 0; j < shown; ++j) {
    const double apart = b.width / 150;
    double before = -std::numeric_limits<double>::infinity();
    out +=
        fmt::format("<g class=\"run\" fill=\"{}\" fill-opacity=\".75\">\n", svg::label_colour(j));
    for (std::size_t i = 0; i < trace.size(); ++i) {
      const double x = frame.x(trace[i].time);
      if (!std::isfinite(run[j][i]) || x < before + apart) continue;
      before = x;
      out += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"2\"/>\n", number(x),
                         number(frame.y(run[j][i])));
    }
    out += "</g>\n";
  }
  return figure.page(out + Figure::border(b));
}

}  // namespace mercer
