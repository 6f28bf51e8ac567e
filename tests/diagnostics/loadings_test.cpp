#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/fit.hpp>
#include <mercer/loadings.hpp>

#include <gtest/gtest.h>

namespace mercer::loadings_test {

using test::Random;

Matrix<double> some_rows() {
  Random random(5);
  Vector<double> deviations(4);
  deviations << 3, 2, 1, 0.5;
  return test::rows_with_deviations(random, 60, deviations, 10);
}

/// Pearson's, from the rows.
double correlation(const Vector<double>& a, const Vector<double>& b) {
  const Vector<double> u = a.array() - a.mean(), v = b.array() - b.mean();
  return u.dot(v) / u.norm() / v.norm();
}

TEST(Loadings, correlations_are_those_of_columns_and_scores) {
  const Matrix<double> x = some_rows();
  for (const FitOptions& options : {FitOptions{.components = 2, .scale = Scale::std}, FitOptions{},
                                    FitOptions{.components = 3, .scale = Scale::std, .ddof = 0}}) {
    const auto model = fit(x, options);
    const Loadings table = loadings(model);
    const Matrix<double> y = model.transform(x);
    ASSERT_EQ(table.correlations.rows(), 4);
    ASSERT_EQ(table.correlations.cols(), model.outputs());
    for (Index j = 0; j < 4; ++j)
      for (Index c = 0; c < model.outputs(); ++c) {
        const double r = correlation(x.col(j), y.col(c));
        EXPECT_NEAR(table.correlations(j, c), r, 1e-12);
        EXPECT_NEAR(table.cos2(j, c), r * r, 1e-12);
      }
  }
}

TEST(Loadings, shares_add_up) {
  const auto model = fit(some_rows());
  const Loadings table = loadings(model);
  const Vector<double> variance = model.explained_variance();
  for (Index c = 0; c < 4; ++c) {
    EXPECT_NEAR(table.contributions.col(c).sum(), 1, 1e-14);
    EXPECT_NEAR(table.loadings.col(c).squaredNorm(), variance[c], 1e-12);
  }
  for (Index j = 0; j < 4; ++j) EXPECT_NEAR(table.cos2.row(j).sum(), 1, 1e-12);
}

TEST(Loadings, M_P1_few_components_do_not_pass_for_all_of_a_column) {
  // One column is 1e6 times the others: the first component has all but 1e-12 of the variance.
  Random random(6);
  Matrix<double> x = random.normal(80, 3);
  x.col(1) = 0.6 * x.col(0) + 0.8 * x.col(1);
  x.col(0) *= 1e6;
  for (const Solver solver : {Solver::covariance, Solver::gram, Solver::svd, Solver::randomized}) {
    const auto model = fit(x, {.components = 1, .solver = solver});
    const Loadings table = loadings(model);
    const Matrix<double> y = model.transform(x);
    ASSERT_EQ(table.correlations.rows(), 3);
    for (Index j = 0; j < 3; ++j)
      EXPECT_NEAR(table.correlations(j, 0), correlation(x.col(j), y.col(0)), 1e-9) << j;
  }
  // A file of an older version has no variances, and two components of three tell nothing certain.
  ModelParts<double> parts = fit(x, {.components = 2}).parts();
  parts.column_variance.resize(0);
  EXPECT_EQ(loadings(Model<double>(parts)).correlations.size(), 0);
}

TEST(Loadings, a_model_that_does_not_know_the_variances_says_no_correlations) {
  ModelParts<double> parts = fit(some_rows(), {.components = 2}).parts();
  parts.column_variance.resize(0);
  const Loadings table = loadings(Model<double>(std::move(parts)));
  EXPECT_EQ(table.loadings.cols(), 2);
  EXPECT_EQ(table.correlations.size(), 0);
  EXPECT_EQ(table.cos2.size(), 0);
  EXPECT_EQ(table.names, (std::vector<std::string>{"x1", "x2", "x3", "x4"}));
}

TEST(Loadings, a_constant_column_correlates_with_nothing) {
  Matrix<double> x = some_rows();
  x.col(2).setConstant(7);
  for (const Scale scale : {Scale::none, Scale::std}) {
    const Loadings table = loadings(fit(x, {.scale = scale}));
    EXPECT_TRUE(table.correlations.allFinite());
    EXPECT_NEAR(table.correlations.row(2).norm(), 0, 1e-7);
  }
}

// Found by an attack: a column in nanometres beside one in kilometres had correlation 0.
TEST(Loadings, M_P1_a_column_of_small_unit_has_its_correlation) {
  const Vector<double> a{{1, 5, 2, 8, 3, 9}}, b{{2, 1, 7, 3, 3, 4}};
  for (const double unit : {1e-6, 1e-10, 1e-12}) {
    Matrix<double> x(6, 3);
    x << a, unit * a, b;
    const auto model = fit(x);
    const Loadings table = loadings(model);
    const Matrix<double> y = model.transform(x);
    // Entries of components are known to some 1e-16.
    for (Index c = 0; c < 2; ++c)
      EXPECT_NEAR(table.correlations(1, c), correlation(a, y.col(c)), 1e-14 / unit);
  }
}

TEST(Loadings, kernel_models_are_refused) {
  const auto model = fit(some_rows(), {.components = 2, .kernel = kernels::rbf({.gamma = 0.1})});
  test::expect_error(Errc::bad_option, {"linear models", "gradient"}, [&] { loadings(model); });
}

}  // namespace mercer::loadings_test
