// Runs of one neuron: the path of its weights, and the decay of its modes.

#include "pictures/marks.hpp"
#include "pictures/texts.hpp"

#include <mercer/datasets.hpp>
#include <mercer/figures.hpp>
#include <mercer/learn.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace mercer::weights_svg_test {

using test::attribute;
using test::Element;
using test::expect_clean;
using test::numbers_of;
using test::of_class;
using test::Pixels;
using test::says;
using test::scale_of;
using test::Xml;
namespace ds = mercer::datasets;

/// A run along Oja's ODE from θ = (0.2, 0.6), with λ = (3, 1), as theory has it.
std::vector<TraceRow> exact_run(double angle = 0, bool weights = false, bool mirror = false) {
  std::vector<TraceRow> out;
  for (int i = 0; i <= 100; ++i) {
    const double t = 0.02 * i, a = 0.2 * std::exp(3 * t), b = 0.6 * std::exp(t);
    // θ/‖θ‖ grows like e^{Rt}; the norm follows from d‖w‖²/dt.
    const double size = std::sqrt(1 - 0.4 + (a * a + b * b));  // 1 − |θ(0)|² + |e^{Rt}θ(0)|²
    TraceRow row;
    row.step = i;
    row.time = t;
    row.norm = std::hypot(a, b) / size;
    row.modes.resize(2);
    row.modes[0] = {.theta = a / size, .ode_theta = a / size, .alpha = 1, .ode_alpha = 1};
    row.modes[1] = {.theta = b / size,
                    .ode_theta = b / size,
                    .alpha = b / a,
                    .ode_alpha = 3 * std::exp(-2 * t)};
    row.span_angles = {0};
    if (weights) {
      row.weights.resize(1, 2);
      const double c = std::cos(angle), s = std::sin(angle), sign = mirror ? -1 : 1;
      row.weights(0, 0) = c * a / size - sign * s * b / size;
      row.weights(0, 1) = s * a / size + sign * c * b / size;
    }
    out.push_back(row);
  }
  return out;
}

TEST(FiguresSvg, M_T9_the_path_of_the_weights_has_its_stable_points_and_saddles) {
  for (const bool mirror : {false, true}) {
    for (const bool weights : {false, true}) {
      const double angle = 0.7;
      const Xml xml = expect_clean(weights_svg(exact_run(angle, weights, mirror)));
      const Pixels x = scale_of(xml, true), y = scale_of(xml, false);
      EXPECT_NEAR(x.per_unit, -y.per_unit, 0.01 * x.per_unit);
      // q₁ and q₂ in the plane of the columns, or the axes.
      const double q[2][2] = {{weights ? std::cos(angle) : 1, weights ? std::sin(angle) : 0},
                              {weights ? -std::sin(angle) : 0, weights ? std::cos(angle) : 1}};
      const char* kinds[2] = {"stable", "saddle"};
      for (int j = 0; j < 2; ++j) {
        const auto marks = of_class(xml, "circle", kinds[j]);
        ASSERT_EQ(marks.size(), 2u);
        for (const Element& e : marks) {
          const double sign =
              (attribute(e, "cx") - x(0)) * q[j][0] - (attribute(e, "cy") - y(0)) * q[j][1] > 0
                  ? 1
                  : -1;
          EXPECT_NEAR(attribute(e, "cx"), x(sign * q[j][0]), 0.5);
          EXPECT_NEAR(attribute(e, "cy"), y(sign * q[j][1]), 0.5);
        }
      }
      const auto unit = of_class(xml, "circle", "unit");
      ASSERT_EQ(unit.size(), 1u);
      EXPECT_NEAR(attribute(unit[0], "r"), x.per_unit, 0.5);
      EXPECT_EQ(of_class(xml, "path", "basin").size(), 2u);
      // It begins at its start and ends near q₁.
      const auto start = of_class(xml, "circle", "start");
      ASSERT_EQ(start.size(), 1u);
      const double sign = mirror && weights ? -1 : 1;
      EXPECT_NEAR(attribute(start[0], "cx"), x(0.2 * q[0][0] + 0.6 * sign * q[1][0]), 0.5);
      EXPECT_NEAR(attribute(start[0], "cy"), y(0.2 * q[0][1] + 0.6 * sign * q[1][1]), 0.5);
      const std::vector<double> path =
          numbers_of(of_class(xml, "path", "run")[0].attributes.at("d"));
      EXPECT_NEAR(path[path.size() - 2], x(q[0][0]), 0.06 * x.per_unit);
      EXPECT_NEAR(path.back(), y(q[0][1]), 0.06 * x.per_unit);
      EXPECT_EQ(says(xml, "weight of column 1"), weights);
    }
  }
}

TEST(FiguresSvg, M_T9_basins_lie_on_their_sides_of_the_saddles) {
  const Xml xml = expect_clean(weights_svg(exact_run()));
  const Pixels x = scale_of(xml, true);
  const auto basins = of_class(xml, "path", "basin");
  ASSERT_EQ(basins.size(), 2u);
  for (std::size_t j = 0; j < 2; ++j) {
    const std::vector<double> corners = numbers_of(basins[j].attributes.at("d"));
    for (std::size_t i = 0; i < corners.size(); i += 2)
      EXPECT_GE((j == 0 ? 1 : -1) * (corners[i] - x(0)), -0.05);
  }
}

TEST(FiguresSvg, M_T9_modes_decay_along_straight_lines_of_the_theory) {
  const Xml xml = expect_clean(alpha_svg(exact_run()));
  const auto lines = of_class(xml, "path", "theory");
  ASSERT_EQ(lines.size(), 1u);
  const std::vector<double> points = numbers_of(lines[0].attributes.at("d"));
  // Straight on a logarithmic axis, and the dots of this run lie on it.
  const double slope = (points.back() - points[1]) / (points[points.size() - 2] - points[0]);
  EXPECT_GT(slope, 0);  // downwards
  for (std::size_t i = 0; i < points.size(); i += 2)
    EXPECT_NEAR(points[i + 1], points[1] + slope * (points[i] - points[0]), 0.05);
  std::size_t dots = 0;
  for (const Element& e : xml.all("circle")) {
    if (attribute(e, "r") != 2) continue;
    ++dots;
    EXPECT_NEAR(attribute(e, "cy"), points[1] + slope * (attribute(e, "cx") - points[0]), 0.05);
  }
  EXPECT_GT(dots, 50u);
  EXPECT_TRUE(says(xml, "k = 2, rate 2"));  // λ₁ − λ₂ = 3 − 1
}

TEST(FiguresSvg, M_T9_traces_of_real_runs_are_legible) {
  const Table<double> clouds = ds::clouds({.rows = 600});
  for (const char* rule : {"oja", "hebb-normalized", "gha"})
    for (const bool weights : {false, true}) {
      LearnOptions options{.learner = {.rule = rule,
                                       .components = std::string(rule) == "gha" ? 2 : 1,
                                       .rate = Rate::parse("constant(0.02)")},
                           .theory = true};
      options.trace_weights = weights;
      const auto learned = learn(clouds.x, options);
      SCOPED_TRACE(rule);
      expect_clean(weights_svg(learned.trace));
      expect_clean(alpha_svg(learned.trace));
      EXPECT_EQ(says(expect_clean(weights_svg(learned.trace)), "weight of column 1"), weights);
    }
}

}  // namespace mercer::weights_svg_test
