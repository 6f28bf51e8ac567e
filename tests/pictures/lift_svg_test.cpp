// Rows in three dimensions, and their plane.

#include "pictures/marks.hpp"
#include "pictures/space.hpp"
#include "pictures/texts.hpp"
#include "support/random.hpp"

#include <mercer/datasets.hpp>
#include <mercer/figures.hpp>
#include <mercer/fit.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace mercer::lift_svg_test {

using test::attribute;
using test::Element;
using test::expect_clean;
using test::numbers_of;
using test::of_class;
using test::says;
using test::texts_of;
using test::Xml;
namespace ds = mercer::datasets;

TEST(FiguresSvg, M_T9_lifted_rows_of_a_conic_lie_on_the_plane) {
  const Matrix<double> circle = ds::circle({.rows = 80}).x;
  const auto model = fit(circle, monomial_map<double>(2, 2), {.components = 2});
  const Xml xml = expect_clean(lift_svg(model, circle));
  const auto plane = of_class(xml, "path", "plane");
  ASSERT_EQ(plane.size(), 1u);
  // Around each row there is plane: the polygon is convex, so a point is inside if it is on the
  // same side of all edges.
  const std::vector<double> corners = numbers_of(plane[0].attributes.at("d"));
  ASSERT_GE(corners.size(), 6u);
  std::size_t dots = 0;
  for (const Element& e : xml.all("circle")) {
    if (e.attributes.count("fill-opacity") == 0) continue;
    ++dots;
    int left = 0, right = 0;
    for (std::size_t i = 0; i < corners.size(); i += 2) {
      const std::size_t k = (i + 2) % corners.size();
      const double side = (corners[k] - corners[i]) * (attribute(e, "cy") - corners[i + 1]) -
                          (corners[k + 1] - corners[i + 1]) * (attribute(e, "cx") - corners[i]);
      (side > 0 ? left : right) += 1;
    }
    EXPECT_TRUE(left == 0 || right == 0);
  }
  EXPECT_EQ(dots, 80u);
  EXPECT_TRUE(says(xml, "100.00 %") && says(xml, "x1^2") && says(xml, "monomials(degree=2)"));
}

TEST(FiguresSvg, M_T9_nearer_rows_are_drawn_later_and_rows_behind_the_plane_before_it) {
  const Table<double> roll = ds::swissroll({.rows = 300});
  const std::string svg = lift_svg(fit(roll.x), roll.x);
  const Xml xml = expect_clean(svg);
  const auto behind = svg.find("class=\"behind\""), plane = svg.find("class=\"plane\""),
             before = svg.find("class=\"before\"");
  EXPECT_TRUE(behind < plane && plane < before);
  // Nearer dots are larger.
  double last = 0;
  std::size_t dots = 0;
  for (const Element& e : xml.all("circle")) {
    const double r = attribute(e, "r");
    if (r < last) last = 0, ++dots;  // from the rows behind to those before
    EXPECT_GE(r, last);
    last = r;
  }
  EXPECT_LE(dots, 1u);
}

TEST(FiguresSvg, M_T9_lifts_of_every_size_and_view_are_legible) {
  test::Random random(3);
  for (int view = 0; view < 12; ++view) {
    // Planes in every direction: rows of three columns, two of them wide.
    const Matrix<double> turn = random.normal(3, 3);
    Matrix<double> x = random.normal(40, 3);
    x.col(2) *= 0.1;
    x = (x * turn).eval();
    SCOPED_TRACE(view);
    expect_clean(lift_svg(fit(x, {.components = 2}), x));
    expect_clean(lift_svg(fit(x, {.components = 2}), x, {.width = 400, .height = 300}));
  }
  const Table<double> many = ds::rings({.rows = 50'000});
  PlotOptions options{.width = 820, .height = 430};
  options.labels = texts_of(many.labels);
  const Xml xml = expect_clean(
      lift_svg(fit(many.x, polynomial_map<double>(2, 2), {.components = 3}), many.x, options));
  EXPECT_TRUE(says(xml, "4,000 of 50,000 rows") && says(xml, "PC3") && says(xml, "inner"));
}

TEST(FiguresSvg, a_plane_is_cut_to_the_cube) {
  for (const Point3& p : plane_in_cube({0, 0, 0}, {1, 1, 1})) {
    EXPECT_NEAR(p[0] + p[1] + p[2], 0, 1e-12);
    for (const double c : p) EXPECT_LE(std::abs(c), 1 + 1e-12);
  }
  EXPECT_EQ(plane_in_cube({0, 0, 0}, {1, 1, 1}).size(), 6u);
  EXPECT_EQ(plane_in_cube({0, 0, 0.5}, {0, 0, 2}).size(), 4u);
  EXPECT_TRUE(plane_in_cube({0, 0, 3}, {0, 0, 1}).empty());
}

}  // namespace mercer::lift_svg_test
