// The picture of a run: well-formed, complete, and where it puts things.

#include "pictures/run_chart.hpp"

#include "pictures/xml.hpp"
#include "support/errors.hpp"

#include <gtest/gtest.h>
#include <mercer/picture.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer::test::run_chart_test {

/// A run of two neurons that ends where it should.
std::vector<TraceRow> trace(std::size_t rows, std::size_t modes, std::size_t neurons) {
  std::vector<TraceRow> out;
  for (std::size_t i = 0; i < rows; ++i) {
    const double t = static_cast<double>(i) / 10, e = std::exp(-t);
    TraceRow row;
    row.step = static_cast<std::int64_t>(i + 1);
    row.time = t;
    row.eta = 0.1;
    row.norm = 1 - e / 2;
    row.ode_norm = 1 - 0.4 * e;
    row.output_variance = 2 - e;
    row.lyapunov = e * e;
    for (std::size_t j = 0; j < modes; ++j)
      row.modes.push_back({.theta = 1 - e / static_cast<double>(j + 2),
                           .ode_theta = 1 - e / static_cast<double>(j + 3),
                           .angle = 90 * e,
                           .alpha = e,
                           .ode_alpha = e,
                           .ode_angle = 80 * e});
    if (modes > 0) row.span_angles.assign(neurons, 1.0);
    out.push_back(row);
  }
  return out;
}

TEST(RunSvg, M_E8_has_four_labelled_panels_with_run_and_ode) {
  const std::string svg = run_svg(trace(50, 2, 2), {.title = "gha on <wine> & more"});
  const Xml xml = parse_xml(svg);
  ASSERT_EQ(xml.problem, "");
  std::vector<std::string> bold;
  int lines = 0, runs = 0, frames = 0;
  for (const Element& e : xml.elements) {
    const auto has = [&](const char* key, const char* value) {
      return e.attributes.contains(key) && e.attributes.at(key) == value;
    };
    if (e.name == "text" && has("font-weight", "bold")) bold.push_back(e.text);
    lines += e.name == "path" && has("class", "ode");
    runs += e.name == "g" && has("class", "run");
    frames += e.name == "rect" && has("class", "frame");
  }
  EXPECT_EQ(bold,
            (std::vector<std::string>{"gha on &lt;wine&gt; &amp; more", "Modes of w1, w2, …",
                                      "Norm", "Lyapunov function", "Angle to the eigenvector"}));
  EXPECT_EQ(frames, 4);
  EXPECT_EQ(runs, 2 + 1 + 1 + 2);
  EXPECT_EQ(lines, runs + 1);  // one in the legend
  for (const char* word : {"time t = Ση", "degrees", "length of w1", "mode 2", "the run", "its ODE",
                           "#0072b2", "#d55e00"})
    EXPECT_HAS(svg, word);
  EXPECT_EQ(svg, run_svg(trace(50, 2, 2), {.title = "gha on <wine> & more"}));
}

TEST(RunSvg, dots_lie_where_the_numbers_say) {
  const auto rows = trace(40, 1, 1);
  const Xml xml = parse_xml(run_svg(rows, {.size = 400}));
  // The norm is the second panel, its dots the second group of the run.
  std::vector<Element> circles;
  int group = 0;
  for (const Element& e : xml.elements) {
    if (e.name == "g" && e.attributes.contains("class")) ++group;
    if (e.name == "circle" && group == 2 && circles.size() < rows.size()) circles.push_back(e);
  }
  ASSERT_EQ(circles.size(), rows.size());
  // Affine in time and norm: three points fix the map, the others must obey it.
  const auto x = [&](std::size_t i) { return std::stod(circles[i].attributes.at("cx")); };
  const auto y = [&](std::size_t i) { return std::stod(circles[i].attributes.at("cy")); };
  for (std::size_t i = 1; i + 1 < rows.size(); ++i) {
    const double s = (rows[i].time - rows[0].time) / (rows.back().time - rows[0].time);
    const double u = (rows[i].norm - rows[0].norm) / (rows.back().norm - rows[0].norm);
    EXPECT_NEAR(x(i), x(0) + s * (x(rows.size() - 1) - x(0)), 0.02);  // two decimals
    EXPECT_NEAR(y(i), y(0) + u * (y(rows.size() - 1) - y(0)), 0.02);
  }
  EXPECT_LT(y(rows.size() - 1), y(0));  // larger is higher
}

TEST(RunSvg, without_theory_it_shows_the_run_alone) {
  const std::string svg = run_svg(trace(30, 0, 0));
  EXPECT_EQ(parse_xml(svg).problem, "");
  EXPECT_HAS(svg, "Output variance");
  EXPECT_HAS(svg, "Rate");
  EXPECT_EQ(svg.find("its ODE"), svg.npos);
}

TEST(RunSvg, odd_traces_are_drawn) {
  EXPECT_EQ(parse_xml(run_svg(trace(1, 2, 2))).problem, "");
  auto rows = trace(20, 12, 1);  // more modes than colours
  EXPECT_EQ(parse_xml(run_svg(rows)).problem, "");
  for (TraceRow& row : rows) {
    row.norm = std::numeric_limits<double>::infinity();
    row.lyapunov = 0;
    for (auto& mode : row.modes) mode.ode_theta = mode.ode_angle = std::nan("");
  }
  const std::string svg = run_svg(rows);
  EXPECT_EQ(parse_xml(svg).problem, "");
  EXPECT_EQ(svg.find("nan"), svg.npos);
  EXPECT_EQ(svg.find("inf"), svg.npos);
  EXPECT_HAS(error_of([] { run_svg({}); }).what(), "no rows");
  EXPECT_HAS(error_of([&] { run_svg(rows, {.size = 1}); }).what(), "`size=1`");
}

TEST(RunSvg, M_T7_a_norm_that_grows_is_drawn_beside_its_exponential) {
  EXPECT_EQ(run_svg(trace(30, 0, 0)).find("e^("), std::string::npos);
  auto rows = trace(30, 0, 0);
  for (TraceRow& row : rows) {
    row.norm = 0.7 * std::exp(3 * row.time);
    row.rayleigh = 3;
  }
  const std::vector<ChartPanel> panels = run_panels(rows);
  EXPECT_TRUE(panels[0].logarithmic);
  ASSERT_EQ(panels[0].series.size(), 2u);
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_NEAR(panels[0].series[0].y[i] / rows[i].norm, 1, 1e-12);
  EXPECT_FALSE(time_axis(rows).logarithmic);
  EXPECT_HAS(run_svg(rows), "Norm and e^(\u03bb1 t)");
}

TEST(RunSvg, M_T7_a_rule_without_a_bound_has_no_lyapunov_function) {
  auto rows = trace(30, 2, 1);
  EXPECT_HAS(run_svg(rows), "Lyapunov");
  for (TraceRow& row : rows) row.ode_norm = row.norm = std::exp(0.1 * row.time);  // 1 … 1.3
  EXPECT_EQ(run_panels(rows).size(), 3u);
  const std::string svg = run_svg(rows);
  EXPECT_EQ(parse_xml(svg).problem, "");
  EXPECT_EQ(svg.find("Lyapunov"), svg.npos);
  auto plain = trace(30, 0, 0);
  for (TraceRow& row : plain) row.norm = std::exp(3 * row.time);
  EXPECT_EQ(run_svg(plain).find("Lyapunov"), svg.npos);
}

TEST(RunSvg, M_T7_a_trace_whose_lyapunov_function_is_undefined_has_no_panel_of_it) {
  for (const std::size_t modes : {0, 2}) {
    auto rows = trace(30, modes, 1);
    for (TraceRow& row : rows) {
      row.norm = row.ode_norm = 0.9 + 1e-3 * row.time;  // hardly grows
      row.lyapunov = std::nan("");
    }
    EXPECT_EQ(run_panels(rows).size(), 3u);
    EXPECT_EQ(run_svg(rows).find("Lyapunov"), std::string::npos);
  }
}

TEST(RunSvg, neurons_of_the_opposite_sign_are_named) {
  auto rows = trace(30, 3, 3);
  for (TraceRow& row : rows) row.modes[1].theta *= -1;
  EXPECT_EQ(run_panels(rows)[0].title, "Modes of w1, w2, …; opposite sign: w2");
}

TEST(RunSvg, titles_of_axes_lie_beyond_their_labels) {
  auto rows = trace(30, 1, 1);
  for (TraceRow& row : rows) row.norm = row.ode_norm = 1.00002 + 6e-5 * row.time / 3;
  const Xml xml = parse_xml(run_svg(rows));
  std::size_t longest = 0;
  double title = 0;
  for (const Element& e : xml.elements) {
    if (e.name != "text") continue;
    if (e.attributes.contains("text-anchor") && e.attributes.at("text-anchor") == "end")
      longest = std::max(
          longest, static_cast<std::size_t>(std::count_if(
                       e.text.begin(), e.text.end(), [](char c) { return (c & 0xC0) != 0x80; })));
    if (e.attributes.contains("transform"))
      title = std::stod(e.attributes.at("transform").substr(10));
  }
  ASSERT_GE(longest, 7u);
  EXPECT_LT(title, -7 - 7.0 * static_cast<double>(longest));
}

TEST(RunSvg, the_start_has_no_place_in_the_picture) {
  auto rows = trace(30, 2, 1);
  const std::string without = run_svg(rows);
  TraceRow start = rows[0];
  start.step = 0;
  rows.insert(rows.begin(), start);
  EXPECT_EQ(run_svg(rows), without);
}

TEST(RunSvg, a_long_trace_makes_no_long_picture) {
  EXPECT_LT(run_svg(trace(1000, 7, 7)).size(), 400'000u);
}

}  // namespace mercer::test::run_chart_test
