#include "pictures/run_chart.hpp"

#include "core/require.hpp"
#include "pictures/svg.hpp"

#include <mercer/picture.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace mercer {

namespace {

using Trace = std::vector<TraceRow>;

Series series(const Trace& trace, std::string name, std::size_t colour, bool dots,
              const std::function<double(const TraceRow&)>& value) {
  Series out{std::move(name), colour, dots, {}};
  for (const TraceRow& row : trace) out.y.push_back(value(row));
  return out;
}

double ode_lyapunov(const TraceRow& row) {
  const double theta = row.modes[0].ode_theta, d = theta * theta - 1;
  return d * d;
}

/// The ODE falls for ever, the run only as far as its noise: a line far below adds no information.
void keep_near_the_run(ChartPanel& panel) {
  double least = std::numeric_limits<double>::infinity();
  for (const Series& s : panel.series)
    for (const double y : s.y)
      if (s.dots && y > 0) least = std::min(least, y);
  if (!std::isfinite(least)) return;
  for (Series& s : panel.series)
    for (double& y : s.y)
      if (!s.dots && y < 0.01 * least) y = std::numeric_limits<double>::quiet_NaN();
}

constexpr double grows_by = 20;  // from there on the norm has a logarithmic axis

/// λ₁ as far as the trace has it: from θ₁ of plain Hebb's ODE, which grows as e^{λ₁t}; otherwise
/// the last Rayleigh quotient, which tends to it.
double growth_rate(const Trace& t) {
  const TraceRow &first = t.front(), &last = t.back();
  if (!first.modes.empty() && last.time > first.time) {
    const double rate = std::log(std::abs(last.modes[0].ode_theta / first.modes[0].ode_theta)) /
                        (last.time - first.time);
    if (std::abs(last.modes[0].ode_theta) > grows_by && std::isfinite(rate)) return rate;
  }
  return last.rayleigh;
}

/// Whether the weights grow without bound.
bool grows(const Trace& t) {
  return std::any_of(t.begin(), t.end(), [&](const TraceRow& row) {
    return std::isfinite(row.norm) && row.norm > grows_by * t.front().norm;
  });
}

/// A norm that grows is drawn beside e^{λ₁t} through its last point, a straight line.
void show_growth(ChartPanel& panel, const Trace& t) {
  if (!grows(t)) return;
  panel.logarithmic = true;
  panel.title = "Norm and e^(\u03bb1 t)";
  const double rate = growth_rate(t);
  const TraceRow& last = t.back();
  panel.series.insert(panel.series.begin(),
                      series(t, "e^(\u03bb1 t)", 6, false, [&](const TraceRow& r) {
                        return last.norm * std::exp(rate * (r.time - last.time));
                      }));
}

/// V falls along the ODEs of rules that are bounded: their norm tends to 1 and never crosses it.
/// Other rules (hebb) have none: in their traces it is not a number.
bool has_lyapunov(const Trace& t) {
  const TraceRow &first = t.front(), &last = t.back();
  if (std::ranges::all_of(t, [](const TraceRow& row) { return std::isnan(row.lyapunov); }))
    return false;
  if (first.modes.empty()) return !grows(t);
  return !(last.ode_norm > std::max(1.0, first.ode_norm) * (1 + 1e-6));
}

/// "; opposite sign: w2, w3": the neurons that ended at −q_j where the ODE ended at q_j.
std::string opposite_neurons(const TraceRow& last, std::size_t neurons) {
  std::string out;
  for (std::size_t j = 0; j < neurons; ++j)
    if (last.modes[j].theta * last.modes[j].ode_theta < 0)
      out += fmt::format("{}w{}", out.empty() ? "; opposite sign: " : ", ", j + 1);
  return out;
}

/// Before the first step there is no rate, and no place on a logarithmic axis of time.
Trace without_start(const Trace& t) {
  return t.size() > 1 && t.front().step == 0 ? Trace(t.begin() + 1, t.end()) : t;
}

std::vector<ChartPanel> plain_panels(const Trace& t) {
  std::vector<ChartPanel> out(4);
  out[0] = {"Norm", "length of w1", false, {series(t, "run", 0, true, [](const TraceRow& r) {
              return r.norm;
            })}};
  show_growth(out[0], t);
  out[1] = {"Output variance",
            "variance of y1 (squared units of the data)",
            false,
            {series(t, "run", 0, true, [](const TraceRow& r) { return r.output_variance; })}};
  out[2] = {"Lyapunov function",
            "(length\u00b2 \u2212 1)\u00b2",
            true,
            {series(t, "run", 0, true, [](const TraceRow& r) { return r.lyapunov; })}};
  out[3] = {
      "Rate", "\u03b7", true, {series(t, "run", 0, true, [](const TraceRow& r) { return r.eta; })}};
  if (!has_lyapunov(t)) out.erase(out.begin() + 2);
  return out;
}

}  // namespace

std::vector<ChartPanel> run_panels(const Trace& trace) {
  const Trace t = without_start(trace);
  if (t.front().modes.empty()) return plain_panels(t);
  const std::size_t modes = std::min(t.front().modes.size(), svg::label_colours);
  // Of one neuron all modes belong to it, and only the first is where it goes.
  const bool single = t.front().span_angles.size() == 1;
  const std::size_t angles = single ? 1 : modes;
  std::vector<ChartPanel> out(4);
  out[0] = {
      (single ? "Modes of w" : "Modes of w1, w2, \u2026") + opposite_neurons(t.back(), angles),
      single ? "\u03b8j = qj \u00b7 w" : "\u03b8j = qj \u00b7 wj",
      false,
      {}};
  out[1] = {"Norm", "length of w1", false, {}};
  out[2] = {"Lyapunov function", "V = (\u03b81\u00b2 \u2212 1)\u00b2", true, {}};
  out[3] = {"Angle to the eigenvector", "degrees", true, {}};
  for (const bool dots : {false, true}) {  // dots lie on top of lines
    const auto add = [&](ChartPanel& panel, std::size_t mode,
                         const std::function<double(const TraceRow&)>& run,
                         const std::function<double(const TraceRow&)>& ode) {
      panel.series.push_back(
          series(t, fmt::format("mode {}", mode + 1), mode, dots, dots ? run : ode));
    };
    for (std::size_t j = 0; j < modes; ++j)
      add(
          out[0], j, [j](const TraceRow& r) { return r.modes[j].theta; },
          [j](const TraceRow& r) { return r.modes[j].ode_theta; });
    add(
        out[1], 0, [](const TraceRow& r) { return r.norm; },
        [](const TraceRow& r) { return r.ode_norm; });
    add(
        out[2], 0, [](const TraceRow& r) { return r.lyapunov; }, ode_lyapunov);
    for (std::size_t j = 0; j < angles; ++j)
      add(
          out[3], j, [j](const TraceRow& r) { return r.modes[j].angle; },
          [j](const TraceRow& r) { return r.modes[j].ode_angle; });
  }
  show_growth(out[1], t);
  for (ChartPanel& panel : out)
    if (panel.logarithmic) keep_near_the_run(panel);
  if (!has_lyapunov(t)) out.erase(out.begin() + 2);
  return out;
}

TimeAxis time_axis(const Trace& all) {
  const Trace trace = without_start(all);
  TimeAxis out;
  for (const TraceRow& row : trace) out.time.push_back(row.time);
  const double first = trace.front().time, last = trace.back().time;
  out.logarithmic = first > 0 && std::isfinite(last) && last > 30 * first && !grows(trace);
  return out;
}

std::string run_svg(const Trace& trace, const RunChartOptions& options) {
  require(!trace.empty(), Errc::bad_option, "the trace has no rows to draw");
  require(options.size >= 120 && options.size <= 2000, Errc::bad_option,
          "`size={}` is not between 120 and 2000 pixels", options.size);
  return chart_svg(run_panels(trace), time_axis(trace), "time t = \u03a3\u03b7 (1 / variance)",
                   options.title, options.size);
}

}  // namespace mercer
