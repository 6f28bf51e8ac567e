// Missing cells: filled in `fit`, passed over in `transform`.
#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include <cmath>
#include <limits>

namespace mercer::test::impute_test {

constexpr double hole = std::numeric_limits<double>::quiet_NaN();

/// Every so often a cell is taken out, never a whole row or column.
Matrix<double> with_holes(Matrix<double> x, double share, std::uint64_t seed) {
  Random random(seed);
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j)
      if (j != i % x.cols() && random.uniform() < share) x(i, j) = hole;
  return x;
}

Matrix<double> low_rank(Index n, Index d, Index rank, double noise, std::uint64_t seed) {
  Random random(seed);
  const Matrix<double> a = random.normal(n, rank), b = random.normal(rank, d);
  return ((a * b).array() + 5).matrix() + noise * random.normal(n, d);
}

TEST(Impute, exact_low_rank_rows_are_found_again) {
  const Matrix<double> x = low_rank(60, 8, 2, 0, 1);
  const auto filled = impute(Rows<double>(with_holes(x, 0.15, 2)), {.components = 2});
  EXPECT_GT(filled.report.cells, 40);
  EXPECT_LT(filled.report.change, 1e-6);
  // The distance to the limit is an estimate; the data have deviations of about 1.5.
  EXPECT_LT((filled.x - x).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(Impute, cells_are_what_probabilistic_pca_of_the_completed_rows_says) {
  const Matrix<double> x = with_holes(low_rank(80, 6, 2, 0.4, 3), 0.2, 4);
  const auto filled = impute(Rows<double>(x), {.components = 2}, {.tolerance = 1e-9});
  const Eigen::RowVectorXd mean = filled.x.colwise().mean();
  const Eigen::MatrixXd centred = filled.x.rowwise() - mean;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(centred.transpose() * centred / 79);
  const Eigen::VectorXd values = solver.eigenvalues().reverse();
  const Eigen::MatrixXd axes = solver.eigenvectors().rowwise().reverse().leftCols(2);
  const double noise = values.tail(4).mean();
  const Eigen::MatrixXd told =
      ((centred * axes * (1 - noise / values.head(2).array()).matrix().asDiagonal()) *
       axes.transpose())
          .rowwise() +
      mean;
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j) {
      if (std::isnan(x(i, j))) {
        EXPECT_NEAR(filled.x(i, j), told(i, j), 1e-7);
      } else {
        EXPECT_EQ(filled.x(i, j), x(i, j));
      }
    }
}

TEST(Impute, is_closer_to_the_truth_than_the_mean) {
  const Matrix<double> truth = low_rank(200, 10, 3, 0.3, 5), x = with_holes(truth, 0.25, 6);
  const auto filled = impute(Rows<double>(x), {.components = 3, .scale = Scale::std});
  const auto mean = fit(x, {.components = 3, .missing = Missing::mean}).mean();
  double by_em = 0, by_mean = 0;
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j)
      if (std::isnan(x(i, j))) {
        by_em += std::pow(filled.x(i, j) - truth(i, j), 2);
        by_mean += std::pow(mean[j] - truth(i, j), 2);
      }
  EXPECT_LT(by_em, 0.15 * by_mean);
}

TEST(Impute, in_fit_is_the_fit_of_the_completed_rows) {
  const Matrix<double> x = with_holes(low_rank(70, 7, 2, 0.2, 7), 0.1, 8);
  const FitOptions options{.components = 2, .missing = Missing::em};
  const auto model = fit(x, options);
  const auto filled = impute(Rows<double>(x), options);
  EXPECT_EQ(model.components(), fit(filled.x, {.components = 2}).components());
  EXPECT_EQ(model.report().imputation->cells, filled.report.cells);
  const auto again = Model<double>::deserialize(model.serialize());
  EXPECT_EQ(again.report().imputation->iterations, filled.report.iterations);
  EXPECT_TRUE(fit(x.cast<float>(), {.components = 2, .missing = Missing::em})
                  .components()
                  .cast<double>()
                  .isApprox(model.components(), 1e-3));
}

TEST(Impute, intervals_say_that_they_are_of_the_rows_as_completed) {
  const Matrix<double> x = low_rank(60, 5, 2, 0.3, 9);
  const FitOptions options{.components = 2, .missing = Missing::em};
  EXPECT_HAS(fit(with_holes(x, 0.1, 3), options).report().certificate.reason,
             "of the imputed rows");
  EXPECT_EQ(fit(x, options).report().certificate.reason, "");
}

TEST(Impute, weights_count_as_repeated_rows) {
  const Matrix<double> x = with_holes(low_rank(40, 5, 2, 0.2, 9), 0.1, 10);
  Matrix<double> repeated(80, 5);
  repeated << x, x;
  const std::vector<double> twos(40, 2.0);
  const auto weighted = impute(Rows<double>(x), {.components = 2}, {}, twos);
  const auto plain = impute(Rows<double>(repeated), {.components = 2});
  EXPECT_LT((weighted.x - plain.x.topRows(40)).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(Impute, refuses_rows_and_columns_without_cells_and_says_when_it_does_not_converge) {
  Matrix<double> x = low_rank(30, 4, 1, 0.1, 11);
  const FitOptions options{.components = 1, .missing = Missing::em};
  Matrix<double> row = x, column = x;
  row.row(6).setConstant(hole);
  column.col(2).setConstant(hole);
  expect_error(Errc::bad_data, {"row 7"}, [&] { fit(row, options); });
  expect_error(Errc::bad_data, {"column 3"}, [&] { fit(column, options); });
  x = with_holes(x, 0.3, 12);
  expect_error(Errc::not_converged, {"3 iterations", "`components`"},
               [&] { impute(Rows<double>(x), options, {.tolerance = 1e-12, .iterations = 3}); });
  expect_error(Errc::bad_option, {"`components=4`", "below"},
               [&] { fit(x, {.components = 4, .missing = Missing::em}); });
  expect_error(Errc::bad_option, {"`components=2`"}, [&] { fit(x, {.missing = Missing::em}); });
  expect_error(Errc::bad_option, {"linear"}, [&] {
    fit(x, {.components = 2, .kernel = Kernel::parse("rbf"), .missing = Missing::em});
  });
}

TEST(PartialRows, scores_are_least_squares_in_the_cells_that_are_there) {
  const Matrix<double> x = low_rank(50, 6, 3, 0.3, 13);
  for (const Scale scale : {Scale::none, Scale::std}) {
    const auto model = fit(x, {.components = 2, .scale = scale});
    const Matrix<double> holes = with_holes(x, 0.3, 14);
    const Matrix<double> y = model.transform(holes, {.missing = Missing::em});
    const Matrix<double> complete = model.transform(x);
    for (Index i = 0; i < x.rows(); ++i) {
      std::vector<Index> there;
      for (Index j = 0; j < 6; ++j)
        if (!std::isnan(holes(i, j))) there.push_back(j);
      if (there.size() == 6) {
        EXPECT_EQ(y.row(i), complete.row(i));
        continue;
      }
      if (there.size() < 2) continue;
      Eigen::MatrixXd a(there.size(), 2);
      Eigen::VectorXd z(there.size());
      for (std::size_t r = 0; r < there.size(); ++r) {
        const Index j = there[r];
        const double s = scale == Scale::std ? model.scale()[j] : 1;
        a.row(static_cast<Index>(r)) = model.components().col(j);
        z[static_cast<Index>(r)] = (x(i, j) - model.mean()[j]) / s;
      }
      const Eigen::VectorXd normal = (a.transpose() * a).inverse() * (a.transpose() * z);
      // The normal equations square the condition number of a.
      EXPECT_LT((normal - y.row(i).transpose()).norm(), 1e-8 * (1 + normal.norm())) << i;
    }
  }
}

TEST(PartialRows, with_fewer_cells_than_components_get_the_likeliest_scores) {
  const Matrix<double> x = low_rank(50, 5, 4, 0.1, 15);
  const auto model = fit(x, {.components = 3});
  Matrix<double> row = Matrix<double>::Constant(1, 5, hole);
  row(0, 1) = x(0, 1);
  const Matrix<double> y = model.transform(row, {.missing = Missing::em});
  // The posterior mean as the noise goes to 0: Λa (x − m)/(aᵀΛa).
  const Eigen::VectorXd a = model.components().col(1);
  const Eigen::VectorXd la = model.eigenvalues().asDiagonal() * a;
  const Eigen::VectorXd expected = la * ((x(0, 1) - model.mean()[1]) / a.dot(la));
  EXPECT_LT((y.row(0).transpose() - expected).norm(), 1e-10 * expected.norm());
  row(0, 1) = hole;
  expect_error(Errc::bad_data, {"row 1"}, [&] { model.transform(row, {.missing = Missing::em}); });
}

TEST(PartialRows, are_for_linear_models) {
  Random random(2);
  const Matrix<double> x = random.normal(20, 2);
  const auto model = fit(x, {.components = 2, .kernel = Kernel::parse("rbf(gamma=1)")});
  expect_error(Errc::bad_option, {"linear", "`missing=mean`"},
               [&] { model.transform(x, {.missing = Missing::em}); });
}

}  // namespace mercer::test::impute_test
