// Kernels as curves and heat maps, and components as images: their colours, computed another way.

#include "pictures/marks.hpp"
#include "pictures/texts.hpp"
#include "support/errors.hpp"
#include "support/temp_dir.hpp"

#include <mercer/datasets.hpp>
#include <mercer/figures.hpp>
#include <mercer/fit.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace mercer::kernel_svg_test {

using test::Element;
using test::expect_clean;
using test::expect_error;
using test::numbers_of;
using test::of_class;
using test::Pixels;
using test::says;
using test::texts_of;
using test::Xml;
namespace ds = mercer::datasets;

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

}  // namespace mercer::kernel_svg_test
