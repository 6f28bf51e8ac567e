// The figures of the lectures: where their lines and marks stand, computed another way.

#include "pictures/space.hpp"
#include "pictures/texts.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"
#include "support/temp_dir.hpp"

#include <mercer/datasets.hpp>
#include <mercer/figures.hpp>
#include <mercer/fit.hpp>
#include <mercer/learn.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

namespace mercer::figures_svg_test {

using test::attribute;
using test::Element;
using test::expect_clean;
using test::expect_error;
using test::says;
using test::Xml;
namespace ds = mercer::datasets;

std::vector<Element> of_class(const Xml& xml, const char* name, const std::string& value) {
  std::vector<Element> out;
  for (const Element& e : xml.all(name))
    if (e.attributes.count("class") > 0 && e.attributes.at("class") == value) out.push_back(e);
  return out;
}

std::vector<std::string> texts_of(const TextColumn& column) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < column.size(); ++i) out.emplace_back(column[i]);
  return out;
}

/// From numbers to pixels, by the ticks of an axis and their texts.
struct Pixels {
  double at0 = 0, per_unit = 1;
  double operator()(double value) const { return at0 + per_unit * value; }
};

/// Of the texts below (or left of) the frame that are numbers.
Pixels scale_of(const Xml& xml, bool across) {
  std::vector<std::pair<double, double>> found;  // value, pixel
  for (const Element& e : xml.all("text")) {
    double value = 0;
    char rest = 0;
    if (std::sscanf(e.text.c_str(), "%lf%c", &value, &rest) != 1) continue;
    const bool below = e.attributes.at("text-anchor") == "middle";
    if (below == across)
      found.emplace_back(value, across ? attribute(e, "x") : attribute(e, "y") - 4);
  }
  EXPECT_GE(found.size(), 2u);
  Pixels out;
  out.per_unit =
      (found.back().second - found.front().second) / (found.back().first - found.front().first);
  out.at0 = found.front().second - out.per_unit * found.front().first;
  return out;
}

std::vector<double> numbers_of(const std::string& path) {
  std::vector<double> out;
  std::string text = path;
  for (char& c : text)
    if (c == 'M' || c == 'L' || c == 'z') c = ' ';
  for (std::size_t at = 0; at < text.size();) {
    std::size_t used = 0;
    try {
      out.push_back(std::stod(text.substr(at), &used));
    } catch (const std::invalid_argument&) {
      break;
    }
    at += used;
  }
  return out;
}

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

TEST(FiguresSvg, M_T9_the_bell_curve_is_the_kernel_over_distance) {
  const Table<double> rings = ds::rings();
  PlotOptions options{.width = 820, .height = 430};
  options.labels = texts_of(rings.labels);
  const Xml xml =
      expect_clean(kernel_svg(kernels::rbf({.gamma = 0.5}), Rows<double>(rings.x), false, options));
  const auto bell = of_class(xml, "path", "bell");
  ASSERT_EQ(bell.size(), 1u);
  const std::vector<double> points = numbers_of(bell[0].attributes.at("d"));
  ASSERT_EQ(points.size(), 2u * 161);
  // Pixels of k = 1 and 0 by the curve's top and ends; half of it at √(2 ln 2).
  const double top = points[2 * 80 + 1], bottom = points[1], left = points[0],
               middle = points[2 * 80];
  double farthest = 0;
  for (Index i = 0; i < rings.x.rows(); ++i)
    for (Index j = 0; j < i; ++j)
      farthest = std::max(farthest, (rings.x.row(i) - rings.x.row(j)).norm());
  for (std::size_t i = 0; i <= 160; ++i) {
    const double share = (points[2 * i] - middle) / (middle - left);  // of the farthest pair shown
    EXPECT_LE(std::abs(share), 1.001);
    const double value = (bottom - points[2 * i + 1]) / (bottom - top);
    // The reach of the curve is the distance of a pair: at most the farthest, and near it.
    const double least = std::exp(-0.5 * std::pow(share * farthest, 2)),
                 most = std::exp(-0.5 * std::pow(share * 0.9 * farthest, 2));
    EXPECT_GE(value, least - 0.01) << i;
    EXPECT_LE(value, most + 0.01) << i;
  }
  EXPECT_TRUE(says(xml, "rbf(gamma=0.5)") && says(xml, "sorted by label"));
  EXPECT_EQ(of_class(xml, "path", "between").size(), 1u);  // two labels, one boundary
}

TEST(FiguresSvg, M_T9_heat_maps_have_the_colours_of_their_entries) {
  // Two rows: K = [1 k; k 1] in four cells, of two colours.
  Matrix<double> x(2, 1);
  x << 0, 1;
  const Xml xml = expect_clean(kernel_svg(kernels::rbf({.gamma = 1}), Rows<double>(x)));
  std::size_t cells = 0;
  std::string diagonal, aside;
  for (const Element& e : xml.all("path")) {
    if (e.inside.empty() || e.inside.back() != "g" || e.attributes.count("fill") == 0) continue;
    const std::string& d = e.attributes.at("d");
    if (d == "M0 0h1v1h-1zM1 1h1v1h-1z") diagonal = e.attributes.at("fill"), ++cells;
    if (d == "M1 0h1v1h-1zM0 1h1v1h-1z") aside = e.attributes.at("fill"), ++cells;
  }
  EXPECT_EQ(cells, 2u);
  EXPECT_EQ(diagonal, "#08306b");  // the largest
  EXPECT_NE(aside, diagonal);
  // Centred: JKJ of two rows is (1 − k)/2·[1 −1; −1 1], of both signs.
  const Xml centred = expect_clean(kernel_svg(kernels::rbf({.gamma = 1}), Rows<double>(x), true));
  std::vector<std::string> fills;
  for (const Element& e : centred.all("path"))
    if (e.attributes.count("d") && (e.attributes.at("d") == "M0 0h1v1h-1zM1 1h1v1h-1z" ||
                                    e.attributes.at("d") == "M1 0h1v1h-1zM0 1h1v1h-1z"))
      fills.push_back(e.attributes.at("fill"));
  ASSERT_EQ(fills.size(), 2u);
  EXPECT_EQ(fills[0], "#542788");  // negative beside the diagonal
  EXPECT_EQ(fills[1], "#b35806");
  EXPECT_TRUE(says(centred, "J K J"));
}

TEST(FiguresSvg, M_T9_kernels_that_are_no_function_of_distance_are_drawn_as_pairs) {
  const Table<double> moons = ds::moons({.rows = 200});
  for (const char* text : {"poly(degree=2)", "linear", "cosine", "laplacian(gamma=1)", "sigmoid",
                           "rbf(gamma=1)*linear"}) {
    const Xml xml = expect_clean(kernel_svg(Kernel::parse(text), Rows<double>(moons.x)));
    EXPECT_EQ(of_class(xml, "path", "bell").size(), 0u) << text;
    EXPECT_GE(of_class(xml, "g", "pairs").size(), 1u) << text;
  }
  for (const char* text : {"rbf", "matern", "rational_quadratic", "exponential", "2*rbf + rbf^2"}) {
    const Xml xml = expect_clean(kernel_svg(Kernel::parse(text), Rows<double>(moons.x)));
    EXPECT_EQ(of_class(xml, "path", "bell").size(), 1u) << text;
  }
  // Rows outside the domain of lines, equal rows, many rows, a narrow page.
  expect_clean(kernel_svg(Kernel::parse("chi2"), Rows<double>(Matrix<double>(moons.x.cwiseAbs()))));
  expect_clean(kernel_svg(Kernel::parse("rbf(gamma=1)"), Rows<double>(Matrix<double>::Ones(5, 2))));
  const Matrix<double> many = ds::rings({.rows = 20'000}).x;
  EXPECT_TRUE(says(expect_clean(kernel_svg(Kernel::parse("rbf"), Rows<double>(many))),
                   "384 of 20,000 rows"));
  expect_clean(kernel_svg(Kernel::parse("rbf"), Rows<double>(moons.x), false,
                          {.width = 300, .height = 400}));
}

TEST(FiguresSvg, M_T9_components_are_images_of_their_columns) {
  // A component that is one pixel: in the image it is the darkest, at its place.
  Matrix<double> x = Matrix<double>::Zero(20, 12);
  for (Index i = 0; i < 20; ++i) x(i, 7) = static_cast<double>(i % 2);
  const auto model = fit(x, {.components = 1});
  const Xml xml = expect_clean(images_svg(model, 4));
  std::size_t found = 0;
  for (const Element& e : xml.all("path"))
    found += e.attributes.count("fill") && e.attributes.at("fill") == "#b35806" &&
             e.attributes.at("d") == "M3 1h1v1h-1z";  // column 7 of lines of 4: line 1, place 3
  EXPECT_EQ(found, 1u);
  EXPECT_TRUE(says(xml, "mean") && says(xml, "PC1 (100.0 %)") && says(xml, "4 \u00d7 3"));

  const Table<double> digits = read<double>(test::data_file("digits.csv"), {.label = "digit"});
  const auto model_64 = fit(digits.x, {.components = 20});
  const Xml all = expect_clean(images_svg(model_64));
  EXPECT_EQ(of_class(all, "g", "raster").size(), 16u);
  EXPECT_EQ(
      of_class(expect_clean(images_svg(model_64, 8, {.components = {4, 2}})), "g", "raster").size(),
      3u);
  expect_clean(images_svg(model_64, 64));
  expect_clean(images_svg(model_64, 4, {.width = 300, .height = 800}));
  expect_error(Errc::bad_option, {"16 images", "300"},
               [&] { images_svg(model_64, 1, {.width = 300, .height = 800}); });
  expect_error(Errc::bad_option, {"12 columns", "`image_width`"}, [&] { images_svg(model); });
  expect_error(Errc::bad_option, {"`image_width=5`", "12"}, [&] { images_svg(model, 5); });
  expect_error(Errc::bad_option, {"`image_width=-4`"}, [&] { images_svg(model, -4); });
}

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

TEST(FiguresSvg, what_a_figure_cannot_draw_is_refused_with_what_it_needs) {
  const Matrix<double> plane = ds::rings({.rows = 40}).x;
  const Matrix<double> roll = ds::swissroll({.rows = 40}).x;
  const auto linear = fit(plane);
  const auto kernel = fit(plane, {.components = 2, .kernel = kernels::rbf({.gamma = 1})});
  const auto space = fit(roll);
  expect_error(Errc::bad_option, {"2 columns", "3"}, [&] { axes_svg(space, roll); });
  expect_error(Errc::bad_option, {"linear model", "rbf"}, [&] { axes_svg(kernel, plane); });
  expect_error(Errc::bad_option, {"linear model"}, [&] { probe_svg(kernel); });
  expect_error(Errc::bad_option, {"two components", "1 of 3"},
               [&] { probe_svg(fit(roll, {.components = 1})); });
  expect_error(Errc::bad_option, {"three features", "2"}, [&] { lift_svg(linear, plane); });
  expect_error(Errc::bad_option, {"kernel"}, [&] { lift_svg(kernel, plane); });
  expect_error(Errc::bad_option, {"2 components", "1"},
               [&] { lift_svg(fit(roll, {.components = 1}), roll); });
  expect_error(Errc::bad_option, {"3 components"}, [&] {
    lift_svg(fit(plane, polynomial_map<double>(2, 2), {.components = 2}), plane);
  });
  expect_error(Errc::bad_data, {"2 columns", "3"}, [&] { lift_svg(space, plane); });
  expect_error(Errc::bad_data, {"two rows"},
               [&] { kernel_svg(kernels::linear(), Rows<double>(Matrix<double>::Ones(1, 2))); });
  expect_error(Errc::bad_option, {"1 labels for 40 rows"}, [&] {
    kernel_svg(kernels::linear(), Rows<double>(plane), false, {.labels = {"a"}});
  });
  expect_error(Errc::bad_option, {"linear models", "rbf"}, [&] { images_svg(kernel); });
  expect_error(Errc::bad_option, {"no rows"}, [] { weights_svg({}); });
  expect_error(Errc::bad_option, {"no rows"}, [] { alpha_svg({}); });
  expect_error(Errc::bad_option, {"`theory`"}, [] { weights_svg({TraceRow{}}); });
  expect_error(Errc::bad_option, {"`theory`"}, [] { alpha_svg({TraceRow{}}); });
  TraceRow single;
  single.modes.resize(1);
  expect_error(Errc::bad_option, {"two modes", "1"}, [&] { weights_svg({single}); });
  expect_error(Errc::bad_option, {"two modes", "1"}, [&] { alpha_svg({single}); });
}

}  // namespace mercer::figures_svg_test
