// What the figures of the lectures cannot draw.

#include "pictures/marks.hpp"
#include "pictures/texts.hpp"
#include "support/errors.hpp"

#include <mercer/datasets.hpp>
#include <mercer/figures.hpp>
#include <mercer/fit.hpp>

#include <gtest/gtest.h>

namespace mercer::figures_svg_test {

using test::expect_error;
namespace ds = mercer::datasets;

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
