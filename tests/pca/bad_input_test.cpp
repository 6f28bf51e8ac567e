// What cannot be fitted is refused in one clear line.
#include <mercer/mercer.hpp>

#include "support/errors.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace mercer::bad_input_test {

Matrix<double> some_rows(Index rows = 20, Index cols = 4) {
  return test::Random(1).normal(rows, cols);
}

TEST(FitRefuses, a_k_that_is_zero_negative_or_too_large) {
  const auto x = some_rows();
  test::expect_error(Errc::bad_option, {"`components=0`"}, [&] { fit(x, {.components = 0}); });
  test::expect_error(Errc::bad_option, {"`components=-3`"}, [&] { fit(x, {.components = -3}); });
  for (const Solver solver : {Solver::covariance, Solver::gram, Solver::svd}) {
    test::expect_error(Errc::bad_option, {"at most 4"},
                       [&] { fit(x, {.components = 5, .solver = solver}); });
    test::expect_error(Errc::bad_option, {"at most 2"},
                       [&] { fit(some_rows(3, 9), {.components = 3, .solver = solver}); });
  }
  test::expect_error(Errc::bad_option, {"fraction"},
                     [&] { fit(x, {.components = variance_fraction(1.5)}); });
  test::expect_error(Errc::bad_option, {"fraction"},
                     [&] { fit(x, {.components = variance_fraction(0)}); });
}

TEST(FitRefuses, options_out_of_range) {
  const auto x = some_rows();
  test::expect_error(Errc::bad_option, {"`tolerance=-1`"}, [&] { fit(x, {.tolerance = -1}); });
  test::expect_error(Errc::bad_option, {"`ddof=2`"}, [&] { fit(x, {.ddof = 2}); });
  test::expect_error(Errc::bad_option, {"`threads=-1`"}, [&] { fit(x, {.threads = -1}); });
  test::expect_error(Errc::bad_option, {"centring"},
                     [&] { fit(x, {.center = false, .missing = Missing::mean}); });
}

TEST(FitRefuses, weights_that_leave_one_row_and_names_them) {
  const auto x = some_rows(20, 3);
  std::vector<double> weights(20, 1.0);
  weights[3] = 1e200;
  for (const Solver solver : {Solver::covariance, Solver::gram, Solver::svd, Solver::randomized})
    test::expect_error(Errc::bad_data, {"weights are so unequal", "`weights`"},
                       [&] { fit(x, {.components = 1, .solver = solver}, weights); });
  test::expect_error(Errc::bad_data, {"weights are so unequal", "`weights`"}, [&] {
    fit(x, {.components = 1, .kernel = kernels::rbf({.gamma = 1})}, weights);
  });
}

TEST(FitRefuses, rows_that_floats_make_equal_and_says_so) {
  Matrix<float> x(3, 1);
  x << 100000000, 100000001, 100000002;
  for (const Solver solver : {Solver::covariance, Solver::gram, Solver::svd})
    test::expect_error(Errc::bad_data, {"equal", "in single precision"},
                       [&] { fit(x, {.solver = solver}); });
  for (const char* kernel : {"rbf", "rbf(gamma=1)"}) {
    FitOptions options{.components = 1, .kernel = Kernel::parse(kernel)};
    test::expect_error(Errc::bad_data, {"equal", "in single precision"}, [&] { fit(x, options); });
    options.approx = parse_approx("cholesky(rank=2)");
    test::expect_error(Errc::bad_data, {"equal", "in single precision"}, [&] { fit(x, options); });
  }
}

TEST(FitRefuses, models_whose_numbers_are_no_floats) {
  Matrix<float> x(3, 1);
  x << 1e30F, 2e30F, 5e30F;
  FitOptions options{.components = 1, .kernel = kernels::linear()};
  options.approx = parse_approx("cholesky(rank=2)");
  test::expect_error(Errc::bad_data, {"single precision", "scale"}, [&] { fit(x, options); });
}

TEST(FitRefuses, too_few_rows_and_rows_without_variance) {
  for (const Solver solver : {Solver::covariance, Solver::gram, Solver::svd}) {
    test::expect_error(Errc::bad_data, {"no rows"}, [&] { fit(some_rows(0), {.solver = solver}); });
    test::expect_error(Errc::bad_data, {"one row"}, [&] { fit(some_rows(1), {.solver = solver}); });
    test::expect_error(Errc::bad_data, {"all rows are equal"}, [&] {
      fit(Matrix<double>::Constant(9, 3, 0.1).eval(), {.solver = solver});
    });
  }
  test::expect_error(Errc::bad_data, {"no columns"}, [&] { fit(some_rows(5, 0)); });
}

TEST(FitRefuses, numbers_that_are_none) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    auto x = some_rows();
    const auto model = fit(x);
    x(6, 2) = bad;
    for (const Solver solver : {Solver::covariance, Solver::gram, Solver::svd})
      test::expect_error(Errc::bad_data, {"row 7, column 3"}, [&] { fit(x, {.solver = solver}); });
    test::expect_error(Errc::bad_data, {"row 7, column 3"}, [&] { model.transform(x); });
  }
  auto x = some_rows();
  x *= 1e200;
  test::expect_error(Errc::bad_data, {"too large to square"}, [&] { fit(x); });
}

TEST(FitRefuses, weights_that_are_none) {
  const auto x = some_rows(3);
  const Rows<double> rows(x);
  for (const double bad :
       {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const double weights[] = {1, bad, 1};
    test::expect_error(Errc::bad_data, {"weight of row 2"}, [&] { fit(rows, {}, weights); });
  }
  const double zeros[] = {0, 0, 0};
  test::expect_error(Errc::bad_data, {"add up to 0"}, [&] { fit(rows, {}, zeros); });
}

TEST(FitRefuses, a_budget_that_cannot_hold_the_work) {
  test::expect_error(Errc::out_of_memory, {"`memory`"},
                     [&] { fit(some_rows(600, 500), {.memory = 100000}); });
}

TEST(FitRefuses, directions_that_do_not_fit_or_point_nowhere) {
  const auto x = some_rows();
  const Rows<double> rows(x);
  test::expect_error(Errc::bad_option, {"3 numbers"},
                     [&] { variance_along(rows, Matrix<double>::Ones(1, 3)); });
  test::expect_error(Errc::bad_option, {"length 0"},
                     [&] { variance_along(rows, Matrix<double>::Zero(1, 4)); });
}

TEST(FitRefuses, to_go_on_when_the_monitor_says_stop) {
  const auto x = some_rows(2000, 20);
  int calls = 0;
  test::expect_error(Errc::interrupted, {"interrupted"}, [&] {
    fit(x, {.monitor = [&](const Progress& p) {
          ++calls;
          EXPECT_FALSE(p.what.empty());
          return false;
        }});
  });
  EXPECT_EQ(calls, 1);
}

TEST(TransformRefuses, rows_of_another_width) {
  const auto model = fit(some_rows());
  test::expect_error(Errc::bad_data, {"rows have 3 columns"},
                     [&] { model.transform(some_rows(5, 3)); });
  test::expect_error(Errc::bad_data, {"5 scores"}, [&] { model.inverse(some_rows(2, 5)); });
}

}  // namespace mercer::bad_input_test
