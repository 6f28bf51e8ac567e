#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mercer::test::kernel_bad_input_test {

const Kernel rbf = kernels::rbf({.gamma = 0.5});

TEST(KernelBadInput, one_row) {
  expect_error(Errc::bad_data, {"one row", "two"},
               [] { fit(Matrix<double>(Matrix<double>::Ones(1, 3)), {.kernel = rbf}); });
}

TEST(KernelBadInput, constant_data_have_no_variance) {
  const Matrix<double> x = Matrix<double>::Constant(30, 3, 2.5);
  for (const Solver solver : {Solver::dense, Solver::krylov})
    expect_error(Errc::bad_data, {"no variance"},
                 [&] { fit(x, {.components = 1, .kernel = rbf, .solver = solver}); });
}

TEST(KernelBadInput, duplicated_rows_lower_the_rank_and_nothing_else) {
  Random random(1);
  Matrix<double> x(40, 2);
  x.topRows(20) = random.normal(20, 2);
  x.bottomRows(20) = x.topRows(20);
  for (const Solver solver : {Solver::dense, Solver::krylov}) {
    const auto model = fit(x, {.kernel = kernels::laplacian({.gamma = 1}), .solver = solver});
    EXPECT_EQ(model.outputs(), 19);
    expect_error(Errc::bad_option, {"`components=25`", "only 19", "use `components=19`"}, [&] {
      fit(x, {.components = 25, .kernel = kernels::laplacian({.gamma = 1}), .solver = solver});
    });
  }
}

TEST(KernelBadInput, a_nan_is_named) {
  Matrix<double> x = Matrix<double>::Random(10, 3);
  x(4, 1) = std::nan("");
  expect_error(Errc::bad_data, {"row 5, column 2"}, [&] { fit(x, {.kernel = rbf}); });
  x(4, 1) = std::numeric_limits<double>::infinity();
  expect_error(Errc::bad_data, {"row 5, column 2", "inf"},
               [&] { fit(x, {.kernel = rbf, .missing = Missing::mean}); });
}

TEST(KernelBadInput, more_components_than_rows) {
  const Matrix<double> x = Matrix<double>::Random(10, 3);
  expect_error(Errc::bad_option, {"`components=10`", "10 rows", "at most 9"},
               [&] { fit(x, {.components = 10, .kernel = rbf}); });
  EXPECT_EQ(fit(x, {.components = at_most(10), .kernel = rbf}).outputs(), 9);
}

TEST(KernelBadInput, a_huge_gamma_makes_every_row_its_own_and_still_works) {
  const Matrix<double> x = Matrix<double>::Random(30, 2);
  const auto model = fit(x, {.components = 5, .kernel = kernels::rbf({.gamma = 1e12})});
  // K = I: all eigenvalues of J are 1.
  EXPECT_LT((model.eigenvalues().array() - 1).abs().maxCoeff(), 1e-10);
}

TEST(KernelBadInput, an_overflowing_polynomial_is_refused_with_a_hint) {
  const Matrix<double> x = 1e60 * Matrix<double>::Random(20, 2);
  expect_error(Errc::bad_data, {"overflow", "scale"},
               [&] { fit(x, {.components = 2, .kernel = kernels::poly({.degree = 9})}); });
  expect_error(Errc::bad_data, {"overflow", "scale"},
               [&] { fit(x, polynomial_map<double>(2, 9)); });
}

TEST(KernelBadInput, precomputed_matrices_are_looked_at) {
  const Matrix<double> square = Matrix<double>::Identity(6, 6);
  const FitOptions options{.components = 2, .precomputed = true};
  expect_error(Errc::bad_data, {"square", "6×5"},
               [&] { fit(Matrix<double>(square.leftCols(5)), options); });
  Matrix<double> lopsided = square;
  lopsided(1, 3) = 0.5;
  expect_error(Errc::bad_data, {"not symmetric", "(2, 4)", "0.5"}, [&] { fit(lopsided, options); });
  Matrix<double> indefinite = square;
  indefinite(2, 2) = -1;
  expect_error(Errc::invalid_kernel, {"not positive semi-definite", "= -1", "row 3", "`clip`"},
               [&] { fit(indefinite, options); });
  expect_error(Errc::bad_option, {"`kernel`", "`precomputed`"},
               [&] { fit(square, {.kernel = rbf, .precomputed = true}); });
}

TEST(KernelBadInput, M_C3_fit_refuses_an_invalid_kernel_unless_told_to_clip) {
  Random random(2);
  const Matrix<double> x = random.normal(60, 2);
  const Kernel bad = kernels::poly({.degree = 1, .coef0 = -4});
  expect_error(Errc::invalid_kernel, {"poly", "not positive semi-definite", "60 rows", "`clip`"},
               [&] { fit(x, {.kernel = bad, .center = false}); });
  const auto clipped = fit(x, {.components = 2, .kernel = bad, .clip = true, .center = false});
  EXPECT_GT(clipped.eigenvalues().minCoeff(), 0);
}

TEST(KernelBadInput, a_budget_that_cannot_hold_the_vectors_says_the_minimum) {
  const Matrix<double> x = Matrix<double>::Random(4000, 2);
  expect_error(Errc::out_of_memory, {"`memory`", "need", "MiB"},
               [&] { fit(x, {.components = 50, .kernel = rbf, .memory = 1 << 20}); });
}

TEST(KernelBadInput, solvers_of_the_other_kind_are_refused) {
  const Matrix<double> x = Matrix<double>::Random(20, 2);
  expect_error(Errc::bad_option, {"`solver`", "dense and krylov"},
               [&] { fit(x, {.kernel = rbf, .solver = Solver::gram}); });
  expect_error(Errc::bad_option, {"`solver=krylov`", "kernel"},
               [&] { fit(x, {.solver = Solver::krylov}); });
}

TEST(KernelBadInput, a_map_that_cannot_fit_is_refused_with_its_size) {
  const Matrix<double> x = Matrix<double>::Random(2000, 200);
  expect_error(Errc::out_of_memory, {"polynomial(degree=5)"},
               [&] { fit(x, polynomial_map<double>(200, 5), {.memory = 1 << 30}); });
  expect_error(Errc::bad_data, {"3 columns", "200"}, [&] { fit(x, polynomial_map<double>(3, 2)); });
}

}  // namespace mercer::test::kernel_bad_input_test
