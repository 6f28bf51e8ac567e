// Functions of the program: a file has their names, whoever loads it has the functions.

#include "support/errors.hpp"
#include "support/random.hpp"
#include "support/temp_dir.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace mercer::own_function_test {

using test::expect_error;

struct OwnFunction : testing::Test {
  test::TempDir dir;
  Matrix<double> x = test::Random(1).normal(30, 2);
  Kernel mine = Kernel::function(
      "mine", [](auto a, auto b) { return std::exp(-std::abs(a[0] - b[0])) + a[1] * b[1]; });
  std::shared_ptr<const Map<double>> radius = function_map<double>(
      "radius", 2, 2, [](auto a, auto f) { f[0] = std::hypot(a[0], a[1]), f[1] = a[0]; });
};

TEST_F(OwnFunction, M_H2_a_kernel_is_loaded_by_its_name) {
  for (const Kernel& kernel : {mine, 0.5 * mine + kernels::rbf({.gamma = 1}), mine * mine}) {
    const auto model = fit(x, {.components = 2, .kernel = kernel});
    model.save(dir / "m.st");
    const auto loaded = Model<double>::load(dir / "m.st", {.kernels = {kernels::linear(), mine}});
    EXPECT_EQ(loaded.transform(x), model.transform(x));
    EXPECT_EQ(loaded.map().kernel(), kernel.text());
    const AnyModel any = load_any(dir / "m.st", {mine});
    EXPECT_EQ(std::get<Model<double>>(any).transform(x), model.transform(x));
    EXPECT_EQ(
        Model<double>::deserialize(model.serialize(), "bytes", {.kernels = {mine}}).transform(x),
        model.transform(x));
  }
}

TEST_F(OwnFunction, M_H2_a_map_is_loaded_by_its_name) {
  const auto model = fit(x, radius, {.components = 2});
  model.save(dir / "m.st");
  const auto loaded = Model<double>::load(dir / "m.st", {.maps = {nullptr, radius}});
  EXPECT_EQ(loaded.transform(x), model.transform(x));
}

TEST_F(OwnFunction, M_H2_the_name_that_is_missing_is_told) {
  const Kernel other = Kernel::function("other", [](auto, auto) { return 1.0; });
  fit(x, {.components = 1, .kernel = mine + kernels::linear()}).save(dir / "k.st");
  for (const std::vector<Kernel>& kernels : {std::vector<Kernel>{}, std::vector<Kernel>{other}})
    expect_error(Errc::bad_file, {"k.st", "'mine'", "pass the function"},
                 [&] { Model<double>::load(dir / "k.st", {.kernels = kernels}); });
  fit(x, radius, {.components = 1}).save(dir / "f.st");
  expect_error(Errc::bad_file, {"f.st", "'function(radius)'", "pass the function"},
               [&] { Model<double>::load(dir / "f.st"); });
  const auto three = function_map<double>("radius", 3, 2, [](auto, auto f) { f[0] = f[1] = 0; });
  expect_error(Errc::bad_file, {"'function(radius)'"},
               [&] { Model<double>::load(dir / "f.st", {.maps = {three}}); });
}

TEST_F(OwnFunction, M_H2_expressions_with_functions_parse_back) {
  const Kernel sum = 2 * mine + pow(kernels::linear(), 2);
  EXPECT_EQ(Kernel::parse(sum.text(), std::span(&mine, 1)).matrix(x), sum.matrix(x));
  expect_error(Errc::bad_option, {"'mine'", "column 3"}, [&] { Kernel::parse(sum.text()); });
  for (const char* name : {"", "a(b", "c)"})
    expect_error(Errc::bad_option, {"not a valid name of a kernel function"},
                 [&] { Kernel::function(name, [](auto, auto) { return 1.0; }); });
}

}  // namespace mercer::own_function_test
