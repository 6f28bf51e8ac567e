// A matrix that only its owner can multiply with, as a model.

#include "support/errors.hpp"
#include "support/random.hpp"
#include "support/temp_dir.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace mercer::fit_operator_test {

using test::expect_error;

struct Similarities {
  Matrix<double> k;
  Index size() const { return k.rows(); }
  void apply(const Matrix<double>& v, Matrix<double>& out) { out.noalias() = k * v; }
  double trace() const { return k.trace(); }
};

/// Centred by its owner, who does not tell the mean.
struct Bare {
  Matrix<double> a;
  Index size() const { return a.rows(); }
  void apply(const Matrix<double>& v, Matrix<double>& out) { out.noalias() = a * v; }
  double trace() const { return a.trace(); }
  Vector<double> mean() const { return {}; }
};
static_assert(CenteredOperator<Bare> && CenteredOperator<Centered<Similarities>>);
static_assert(!CenteredOperator<Similarities>);  // nobody has centred it
template <class A>
concept can_fit = requires(A& a) {
  fit(a);
};
static_assert(can_fit<Bare> && !can_fit<Similarities>);

struct OperatorFit : testing::Test {
  Matrix<double> x = test::Random(1).normal(150, 3), fresh = test::Random(2).normal(7, 3);
  Kernel kernel = kernels::rbf({.gamma = 0.3});
  Similarities k{kernel.matrix(x)};
  Model<double> wanted = fit(x, {.components = 4, .kernel = kernel, .solver = Solver::dense});
  Bare bare() const {
    const Matrix<double> j =
        Matrix<double>::Identity(150, 150) - Matrix<double>::Constant(150, 150, 1.0 / 150);
    return {j * k.k * j};
  }
};

TEST_F(OperatorFit, M_H2_an_operator_gives_the_model_of_its_kernel_matrix) {
  const auto model = fit(Centered(k), {.components = 4});
  // LAPACK's eigenvalues are right to some 1e-14; the operator's to the tolerance, 1e-10.
  EXPECT_LT((model.eigenvalues() - wanted.eigenvalues()).cwiseAbs().maxCoeff(),
            1e-9 * wanted.eigenvalues()[0]);
  EXPECT_NEAR(model.report().total_variance, wanted.report().total_variance, 1e-12);
  EXPECT_LT((model.training_scores() - wanted.training_scores()).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_LT((model.transform(kernel.matrix(fresh, x)) - wanted.transform(fresh)).norm(), 1e-7);
  const Report& report = model.report();
  EXPECT_EQ(report.solver.name, "krylov");
  EXPECT_GT(report.solver.passes, 1);
  EXPECT_EQ(report.n_samples, 150);
  for (std::size_t j = 0; j < 4; ++j) {
    const double truth = wanted.eigenvalues()[static_cast<Index>(j)];
    EXPECT_LE(report.certificate.low[j], truth * (1 + 1e-13));
    EXPECT_GE(report.certificate.high[j], truth * (1 - 1e-13));
    EXPECT_LE(report.solver.residuals[j], 1e-10);
  }
  EXPECT_EQ(fit(Centered(k), {.components = 0.5}).outputs(),
            fit(x, {.components = 0.5, .kernel = kernel}).outputs());
  EXPECT_EQ(fit(Centered(k), {.components = at_most(1000)}).outputs() > 50, true);
}

TEST_F(OperatorFit, M_H2_with_its_kernel_and_rows_a_model_scores_new_rows) {
  const auto model = fit(Centered(k), kernel, x, {.components = 4});
  EXPECT_LT((model.transform(fresh) - wanted.transform(fresh)).norm(), 1e-7);
  const test::TempDir dir;
  model.save(dir / "m.st");
  EXPECT_EQ(Model<double>::load(dir / "m.st").transform(fresh), model.transform(fresh));
  expect_error(Errc::bad_data, {"150 rows", "7 are given"},
               [&] { fit(Centered(k), kernel, fresh, {.components = 2}); });
}

TEST_F(OperatorFit, M_H2_without_a_mean_only_the_rows_of_the_fit_have_scores) {
  Bare a = bare();
  const auto model = fit(a, {.components = 3});
  EXPECT_LT((model.training_scores() - wanted.training_scores().leftCols(3)).cwiseAbs().maxCoeff(),
            1e-7);
  expect_error(Errc::bad_option, {"fitted to an operator", "its 150 rows"},
               [&] { model.transform(kernel.matrix(fresh, x)); });
  expect_error(Errc::bad_data, {"kernel values with its 150 rows"},
               [&] { model.transform(fresh); });
  const test::TempDir dir;
  model.save(dir / "m.st");
  const auto loaded = Model<double>::load(dir / "m.st");
  EXPECT_EQ(loaded.training_scores(), model.training_scores());
  EXPECT_EQ(loaded.map().text(), "operator");
  expect_error(Errc::bad_data, {"without its mean"}, [&] { fit(a, kernel, x, {.components = 2}); });
}

TEST_F(OperatorFit, M_H3_what_is_no_matrix_of_inner_products_is_refused) {
  struct Lies : Bare {
    double says = 0;
    double trace() const { return says; }
  };
  Lies wrong{bare(), 1e-3};
  expect_error(Errc::bad_data, {"add up to", "its trace is given as 0.001"},
               [&] { fit(wrong, {.components = 2}); });
  Bare negative{bare().a - 5 * Matrix<double>::Identity(150, 150)};
  expect_error(Errc::invalid_kernel, {"not positive semi-definite"},
               [&] { fit(negative, {.components = 1}); });
  Bare a = bare();
  expect_error(Errc::bad_option, {"`components=150`", "at most 149"},
               [&] { fit(a, {.components = 150}); });
  expect_error(Errc::bad_option, {"`kernel`"},
               [&] { fit(a, FitOptions{.components = 1, .kernel = kernel}); });
  expect_error(Errc::bad_option, {"`components`"}, [&] { fit(a, {.components = significant()}); });
  expect_error(Errc::bad_option, {"centred"}, [&] { fit(a, {.components = 1, .center = false}); });
  Similarities nan = k;
  nan.k(3, 3) = std::nan("");
  expect_error(Errc::bad_data, {"not finite"}, [&] { fit(Centered(nan), {.components = 1}); });
}

TEST(OperatorIntervals, M_P1_hold_the_eigenvalue_of_the_matrix_beside_a_far_mean) {
  // J K J of a 2×2 matrix has the eigenvalue (a + d − 2b)/2. Its entries have 53 bits, so that sums
  // of these three are exact in long double where they are within 2^11 of each other.
  test::Random random(3);
  for (const double offset : {0.0, 1.0, 1e3, 1e6})
    for (int repeat = 0; repeat < 40; ++repeat) {
      const Vector<double> v = random.normal(4, 1);
      Similarities k{Matrix<double>(2, 2)};
      k.k << 8 + v[0] + offset, v[1] + offset, v[1] + offset, 8 + v[2] + offset;
      const long double exact =
          (static_cast<long double>(k.k(0, 0)) + k.k(1, 1) - k.k(0, 1) - k.k(1, 0)) / 2;
      const Certificate c = fit(Centered(k), {.components = 1}).report().certificate;
      EXPECT_LE(c.low[0], exact) << offset;
      EXPECT_GE(c.high[0], exact) << offset;
    }
}

TEST(OperatorIntervals, M_P1_hold_equal_eigenvalues) {
  Similarities k{Matrix<double>::Identity(20, 20)};
  const auto model = fit(Centered(k), {.components = 1});
  EXPECT_LE(model.report().certificate.low[0], 1);
  EXPECT_GE(model.report().certificate.high[0], 1);
  EXPECT_TRUE(std::isfinite(model.report().certificate.high[0]));
}

TEST(OperatorFits, of_matrices_whose_squares_overflow_are_refused) {
  Similarities k{1e200 * Matrix<double>::Identity(5, 5)};
  expect_error(Errc::bad_data, {"trace", "scale"}, [&] { fit(Centered(k), {.components = 1}); });
}

}  // namespace mercer::fit_operator_test
