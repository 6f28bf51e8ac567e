// Principal axes and the variance probe: where they stand, computed another way.

#include "pictures/marks.hpp"
#include "pictures/texts.hpp"
#include "support/random.hpp"

#include <mercer/datasets.hpp>
#include <mercer/figures.hpp>
#include <mercer/fit.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace mercer::axes_svg_test {

using test::attribute;
using test::expect_clean;
using test::numbers_of;
using test::of_class;
using test::Pixels;
using test::says;
using test::scale_of;
using test::texts_of;
using test::Xml;
namespace ds = mercer::datasets;

TEST(FiguresSvg, M_T9_principal_axes_end_at_the_mean_plus_and_minus_the_deviation) {
  const Table<double> clouds = ds::clouds();
  const auto model = fit(clouds.x);
  PlotOptions options;
  options.labels = texts_of(clouds.labels);
  const Xml xml = expect_clean(axes_svg(model, clouds.x, options));
  const Pixels x = scale_of(xml, true), y = scale_of(xml, false);
  EXPECT_NEAR(x.per_unit, -y.per_unit, 0.01 * x.per_unit);  // a right angle is one
  const auto axes = of_class(xml, "path", "axis");
  ASSERT_EQ(axes.size(), 2u);
  // The covariance by hand, in closed form.
  const Vector<double> mean = clouds.x.colwise().mean().transpose();
  const Matrix<double> c = clouds.x.rowwise() - mean.transpose();
  const double xx = c.col(0).squaredNorm() / 1799, yy = c.col(1).squaredNorm() / 1799,
               xy = c.col(0).dot(c.col(1)) / 1799;
  const double half = std::hypot((xx - yy) / 2, xy), angle = std::atan2(2 * xy, xx - yy) / 2;
  for (int j = 0; j < 2; ++j) {
    const double length = std::sqrt((xx + yy) / 2 + (j == 0 ? half : -half));
    const double dx = length * std::cos(angle + j * std::numbers::pi / 2),
                 dy = length * std::sin(angle + j * std::numbers::pi / 2);
    const std::vector<double> ends =
        numbers_of(axes[static_cast<std::size_t>(j)].attributes.at("d"));
    ASSERT_EQ(ends.size(), 4u);
    const double sign = (ends[2] - ends[0]) * dx > 0 ? 1 : -1;
    EXPECT_NEAR(ends[0], x(mean[0] - sign * dx), 0.3);
    EXPECT_NEAR(ends[1], y(mean[1] - sign * dy), 0.3);
    EXPECT_NEAR(ends[2], x(mean[0] + sign * dx), 0.3);
    EXPECT_NEAR(ends[3], y(mean[1] + sign * dy), 0.3);
  }
  EXPECT_TRUE(says(xml, "q1, \u03bb1 = 0.1442") && says(xml, "first") && says(xml, "second"));
}

TEST(FiguresSvg, M_T9_axes_are_drawn_for_few_and_for_many_rows_and_for_scaled_columns) {
  for (const Index rows : {3, 5, 300, 50'000}) {
    const Table<double> clouds = ds::clouds({.rows = rows});
    const Xml xml = expect_clean(axes_svg(fit(clouds.x), clouds.x));
    EXPECT_EQ(of_class(xml, "path", "axis").size(), 2u);
    EXPECT_EQ(says(xml, "as density"), rows == 50'000);
  }
  // z-scores: axes in units of the columns, which differ by a factor of 100.
  Matrix<double> x = ds::clouds({.rows = 200}).x;
  x.col(1) *= 100;
  EXPECT_EQ(
      of_class(expect_clean(axes_svg(fit(x, {.scale = Scale::std}), x)), "path", "axis").size(),
      2u);
  // One component: the other axis follows from the total variance.
  const Matrix<double> plane = ds::clouds().x;
  EXPECT_TRUE(
      says(expect_clean(axes_svg(fit(plane, {.components = 1}), plane)), "\u03bb2 = 0.0221"));
}

TEST(FiguresSvg, M_T9_the_probe_is_the_variance_along_each_direction) {
  const Matrix<double> rows = ds::clouds().x;
  const auto model = fit(rows);
  const Xml xml = expect_clean(probe_svg(model));
  const Pixels x = scale_of(xml, true), y = scale_of(xml, false);
  const auto curve = of_class(xml, "path", "psi");
  ASSERT_EQ(curve.size(), 1u);
  const std::vector<double> points = numbers_of(curve[0].attributes.at("d"));
  ASSERT_EQ(points.size(), 2u * 361);
  const Matrix<double> centred = rows.rowwise() - rows.colwise().mean();
  for (std::size_t i = 0; i < 361; i += 24) {
    const double angle = static_cast<double>(i) / 2, turn = angle * std::numbers::pi / 180;
    const Vector<double> along = std::cos(turn) * centred.col(0) + std::sin(turn) * centred.col(1);
    EXPECT_NEAR(points[2 * i], x(angle), 0.2);
    EXPECT_NEAR(points[2 * i + 1], y(along.squaredNorm() / 1799), 0.3) << angle;
  }
  const auto extremes = of_class(xml, "circle", "extreme");
  ASSERT_EQ(extremes.size(), 2u);
  double top = 1e9, bottom = -1e9, at_top = 0, at_bottom = 0;
  for (std::size_t i = 0; i < 361; ++i) {
    if (points[2 * i + 1] < top) top = points[2 * i + 1], at_top = points[2 * i];
    if (points[2 * i + 1] > bottom) bottom = points[2 * i + 1], at_bottom = points[2 * i];
  }
  EXPECT_NEAR(attribute(extremes[0], "cy"), top, 0.1);
  EXPECT_NEAR(attribute(extremes[0], "cx"), at_top, 8);
  EXPECT_NEAR(attribute(extremes[1], "cy"), bottom, 0.1);
  EXPECT_NEAR(attribute(extremes[1], "cx"), at_bottom, 8);
}

TEST(FiguresSvg, M_T9_a_probe_of_many_columns_is_in_the_plane_of_two_components) {
  test::Random random(5);
  const Matrix<double> x = random.normal(60, 3) * random.normal(3, 7) + 0.1 * random.normal(60, 7);
  const auto model = fit(x, {.components = 3});
  EXPECT_TRUE(says(expect_clean(probe_svg(model)), "in the plane of q1 and q2"));
  EXPECT_TRUE(says(expect_clean(probe_svg(model, {.components = {2, 1}})), "q2 and q3"));
  // A flat probe: equal variances in all directions of the plane.
  Matrix<double> cross(4, 2);
  cross << 1, 0, -1, 0, 0, 1, 0, -1;
  expect_clean(probe_svg(fit(cross)));
}

}  // namespace mercer::axes_svg_test
