// The path of the first weight vector in the plane of the first two eigenvectors.
#include "core/require.hpp"
#include "pictures/label_places.hpp"
#include "pictures/points.hpp"

#include <mercer/figures.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace mercer {

namespace {

using svg::number;
using PathPoint = std::complex<double>;

constexpr double farthest = 5;  // from the origin: what is beyond is not drawn
constexpr const char* run_colour = "#0072b2";
constexpr const char* theory_colour = "#222222";
constexpr const char* stable_colour = "#009e73";
constexpr const char* saddle_colour = "#8f1d14";

/// Run and theory as complex numbers, and where q₁ and q₂ lie.
struct WeightPath {
  std::vector<PathPoint> run, ode;
  PathPoint q1{1, 0}, q2{0, 1};
  bool columns = false;  ///< the plane of the columns, not of q₁ and q₂
};

bool finite(const PathPoint& p) { return std::isfinite(p.real()) && std::isfinite(p.imag()); }

/// Weights of two columns are known as such: their plane is that of q₁ and q₂ turned, perhaps
/// mirrored, and the run tells how.
void into_columns(const std::vector<TraceRow>& trace, WeightPath& path) {
  std::vector<PathPoint> w;
  PathPoint turned = 0, mirrored = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const Matrix<double>& weights = trace[i].weights;
    if (weights.rows() < 1 || weights.cols() != 2) return;
    w.emplace_back(weights(0, 0), weights(0, 1));
    if (!finite(w[i]) || !finite(path.run[i])) continue;
    turned += w[i] * std::conj(path.run[i]) / std::max(1e-300, std::norm(w[i]));
    mirrored += w[i] * path.run[i] / std::max(1e-300, std::norm(w[i]));
  }
  const bool mirror = std::abs(mirrored) > std::abs(turned);
  const PathPoint sum = mirror ? mirrored : turned;
  if (!(std::abs(sum) > 0)) return;
  const PathPoint turn = sum / std::abs(sum);
  const auto at = [&](const PathPoint& p) { return turn * (mirror ? std::conj(p) : p); };
  for (std::size_t i = 0; i < w.size(); ++i)
    if (finite(w[i]) && finite(path.run[i]) &&
        std::abs(w[i] - at(path.run[i])) > 1e-6 * std::abs(w[i]))
      return;  // there is more to the weights than two directions
  path.q1 = at({1, 0});
  path.q2 = at({0, 1});
  path.columns = true;
  path.run = std::move(w);
  for (PathPoint& p : path.ode) p = at(p);
}

WeightPath weight_path(const std::vector<TraceRow>& trace) {
  WeightPath out;
  // With one neuron the modes are its own; otherwise those of the first follow from the ratios.
  const bool single = trace.front().span_angles.size() == 1;
  for (const TraceRow& row : trace) {
    const auto& m = row.modes;
    out.run.emplace_back(m[0].theta, single ? m[1].theta : m[1].alpha * m[0].theta);
    out.ode.emplace_back(m[0].ode_theta, single ? m[1].ode_theta : m[1].ode_alpha * m[0].ode_theta);
  }
  into_columns(trace, out);
  return out;
}

/// Within the frame there is no telling points apart that are closer.
std::vector<PathPoint> in_pixels(const std::vector<PathPoint>& path, const Frame& frame,
                                 double apart) {
  std::vector<PathPoint> out;
  for (const PathPoint& p : path) {
    if (!finite(p)) continue;
    // What lies far outside is cut off by the frame; its exact place does not matter.
    const double size = std::abs(p), shrink = size > 1e3 ? 1e3 / size : 1;
    const PathPoint at{frame.x(shrink * p.real()), frame.y(shrink * p.imag())};
    if (out.empty() || std::abs(at - out.back()) >= apart) out.push_back(at);
  }
  return out;
}

std::string path_text(const std::vector<PathPoint>& points) {
  std::string out;
  for (const PathPoint& p : points)
    out += fmt::format("{}{} {}", out.empty() ? "M" : " ", number(p.real()), number(p.imag()));
  return out;
}

/// The part of the box on the side of `towards` of a line through `origin`, in pixels.
std::string half_of_box(const Box& b, const PathPoint& origin, const PathPoint& towards) {
  const std::vector<PathPoint> corners = {
      {b.x, b.y}, {b.x + b.width, b.y}, {b.x + b.width, b.y + b.height}, {b.x, b.y + b.height}};
  const auto side = [&](const PathPoint& p) {
    return (p.real() - origin.real()) * towards.real() +
           (p.imag() - origin.imag()) * towards.imag();
  };
  std::vector<PathPoint> inside;
  for (std::size_t i = 0; i < 4; ++i) {
    const PathPoint &p = corners[i], &q = corners[(i + 1) % 4];
    if (side(p) >= 0) inside.push_back(p);
    if ((side(p) < 0) != (side(q) < 0))
      inside.push_back(p + side(p) / (side(p) - side(q)) * (q - p));
  }
  return path_text(inside);
}

}  // namespace

std::string weights_svg(const std::vector<TraceRow>& trace, const PlotOptions& options) {
  require(!trace.empty(), Errc::bad_option, "the trace has no rows to draw");
  require(!trace.front().modes.empty(), Errc::bad_option,
          "the path of the weights needs a trace with `theory`");
  require(trace.front().modes.size() >= 2, Errc::bad_option,
          "the path of the weights needs a trace of two modes; this one has {}",
          trace.front().modes.size());
  const WeightPath path = weight_path(trace);
  double far = 1.22, largest = 0;
  for (const auto* points : {&path.run, &path.ode})
    for (const PathPoint& p : *points)
      if (finite(p)) {
        far = std::max(far, 1.08 * std::max(std::abs(p.real()), std::abs(p.imag())));
        largest = std::max(largest, std::abs(p));
      }
  std::vector<std::string> notes = {
      "Shaded: the basins of q1 and \u2212q1. On the line between them w tends to a saddle "
      "\u00b1q2"};
  if (far > farthest) {
    notes.push_back(
        fmt::format("The path leaves the plot: its largest distance from 0 is {:.2g}", largest));
    far = farthest;
  }
  std::vector<LegendEntry> legend = {{"the run", run_colour, Mark::dot}};
  const bool ode = std::ranges::any_of(path.ode, finite);
  if (ode) legend.push_back({"its ODE", theory_colour, Mark::line});
  legend.push_back({"start", run_colour, Mark::ring});
  legend.push_back({"stable", stable_colour, Mark::dot});
  legend.push_back({"saddle", saddle_colour, Mark::ring});
  const Figure figure(options, "Path of the weights", legend, notes);
  const Frame frame = equal_frame({{-far, far}, {-far, far}}, figure.box(), true);
  const Box& b = frame.box;
  const auto at = [&](const PathPoint& p) {
    return PathPoint{frame.x(p.real()), frame.y(p.imag())};
  };
  const PathPoint origin = at(0), towards{path.q1.real(), -path.q1.imag()};

  std::string out = fmt::format(
      "<clipPath id=\"frame\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>\n",
      number(b.x), number(b.y), number(b.width), number(b.height));
  out += fmt::format("<path class=\"basin\" fill=\"#56b4e9\" fill-opacity=\".16\" d=\"{}z\"/>\n",
                     half_of_box(b, origin, towards));
  out += fmt::format("<path class=\"basin\" fill=\"#e69f00\" fill-opacity=\".14\" d=\"{}z\"/>\n",
                     half_of_box(b, origin, -towards));
  out += path.columns ? Figure::axes(frame, "weight of column 1", "weight of column 2")
                      : Figure::axes(frame, "\u03b81 = q1 \u00b7 w", "\u03b82 = q2 \u00b7 w");
  const double reach = 2 * (b.width + b.height);
  const PathPoint along{path.q2.real(), -path.q2.imag()};
  const PathPoint from = origin - reach * along, to = origin + reach * along;
  out += fmt::format(
      "<g clip-path=\"url(#frame)\">\n<path class=\"limit\" d=\"M{} {}L{} {}\"/>\n<circle "
      "class=\"unit\" cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"none\" stroke=\"#777777\" "
      "stroke-width=\"1.2\"/>\n",
      number(from.real()), number(from.imag()), number(to.real()), number(to.imag()),
      number(origin.real()), number(origin.imag()), number(frame.x(1) - frame.x(0)));
  if (ode)
    out += fmt::format(
        "<path class=\"ode\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\" "
        "stroke-linejoin=\"round\" d=\"{}\"/>\n",
        theory_colour, path_text(in_pixels(path.ode, frame, 0.7)));
  const std::vector<PathPoint> run = in_pixels(path.run, frame, 0.7);
  out += fmt::format(
      "<path class=\"run\" fill=\"none\" stroke=\"{0}\" stroke-width=\"1\" stroke-opacity=\".55\" "
      "stroke-linejoin=\"round\" d=\"{1}\"/>\n<g class=\"run\" fill=\"{0}\" "
      "fill-opacity=\".75\">\n",
      run_colour, path_text(run));
  for (const PathPoint& p : in_pixels(path.run, frame, 7))
    out += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"1.9\"/>\n", number(p.real()),
                       number(p.imag()));
  out += "</g>\n</g>\n";

  LabelPlaces places(b);
  std::string marks, names;
  for (const PathPoint& p : in_pixels(path.run, frame, 6))
    places.avoid(p.real(), p.imag(), p.real(), p.imag());
  const auto mark = [&](const char* kind, const PathPoint& p, const char* colour, bool filled) {
    const PathPoint c = at(p);
    places.block({c.real() - 3.5, c.imag() - 3.5, 7, 7});
    marks += fmt::format(
        "<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"5\" fill=\"{}\" stroke=\"{}\" "
        "stroke-width=\"1.8\"/>\n",
        kind, number(c.real()), number(c.imag()), filled ? colour : "#ffffff",
        filled ? "#ffffff" : colour);
  };
  for (const double sign : {1.0, -1.0}) {
    mark("stable", sign * path.q1, stable_colour, true);
    mark("saddle", sign * path.q2, saddle_colour, false);
  }
  if (!run.empty()) {
    places.block({run.front().real() - 5, run.front().imag() - 5, 10, 10});
    marks += fmt::format(
        "<circle class=\"start\" cx=\"{}\" cy=\"{}\" r=\"4.5\" fill=\"#ffffff\" stroke=\"{}\" "
        "stroke-width=\"2\" clip-path=\"url(#frame)\"/>\n",
        number(run.front().real()), number(run.front().imag()), run_colour);
  }
  const auto name = [&](const PathPoint& p, const char* text, const char* colour) {
    const PathPoint c = at(p), outwards = (c - origin) / std::abs(c - origin);
    const PathPoint beside = c + 6.0 * outwards;  // clear of the mark
    names += placed_label(places, beside.real(), beside.imag(), outwards.real(), outwards.imag(),
                          text, 12, colour);
  };
  name(path.q1, "q1", stable_colour);
  name(-path.q1, "\u2212q1", stable_colour);
  name(path.q2, "q2", saddle_colour);
  name(-path.q2, "\u2212q2", saddle_colour);
  return figure.page(out + marks + names + Figure::border(b));
}

}  // namespace mercer
