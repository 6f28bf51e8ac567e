// Every method that is distributed, on any number of ranks and threads: the bits of one process.
#include "support/errors.hpp"
#include "support/random.hpp"
#include "support/same_bits.hpp"

#include <mercer/fit.hpp>

#include <gtest/gtest.h>
#include <Eigen/SparseCore>

#include <cmath>
#include <string>
#include <vector>

namespace mercer::test::methods_test {

/// Variances that fall, about a mean that is not 0.
Matrix<double> rows_of(Index n, Index d, std::uint64_t seed) {
  Matrix<double> x = Random(seed).normal(n, d);
  for (Index j = 0; j < d; ++j)
    x.col(j) = x.col(j).array() * std::pow(0.8, static_cast<double>(j)) + 0.1 * double(j);
  return x;
}

std::vector<double> weights_for(Index n) {
  std::vector<double> w;
  for (Index i = 0; i < n; ++i) w.push_back(i % 7 == 3 ? 0.0 : 0.1 + 0.01 * double(i % 13));
  return w;
}

TEST(TeamMethods, M_G2_randomized) {
  const FitOptions options{.components = 3, .solver = Solver::randomized};
  const Matrix<double> x = rows_of(4000, 30, 1);
  expect_same_bits(Rows<double>(x), options);
  FitOptions scaled = options;
  scaled.scale = Scale::std;
  scaled.tolerance = 1e-6;
  expect_same_bits(Rows<double>(x), scaled, weights_for(x.rows()), {2, 5});
  const Matrix<float> f = x.cast<float>();
  FitOptions about_zero = options;
  about_zero.center = false;
  expect_same_bits(Rows<float>(f), about_zero, {}, {3});
  // Fewer rows than choose a shift.
  const Matrix<double> few = rows_of(90, 30, 2);
  expect_same_bits(Rows<double>(few), options, {}, {2, 8});
}

TEST(TeamMethods, M_G2_randomized_of_missing_cells_and_far_means) {
  FitOptions options{.components = 2, .solver = Solver::randomized, .missing = Missing::mean};
  Matrix<double> x = rows_of(3000, 12, 3);
  for (Index i = 0; i < x.rows(); i += 3) x(i, i % 7) = std::nan("");
  expect_same_bits(Rows<double>(x), options, {}, {3});
  Matrix<double> far = rows_of(3000, 12, 4);
  far.bottomRows(2500).array() += 1e6;  // the shift of the first rows is another one
  expect_same_bits(Rows<double>(far), {.components = 1, .solver = Solver::randomized}, {}, {4});
}

TEST(TeamMethods, M_G2_randomized_of_sparse_and_of_many_columns) {
  Matrix<double> holes = rows_of(5000, 40, 5);
  for (Index i = 0; i < holes.rows(); ++i)
    for (Index j = 0; j < holes.cols(); ++j)
      if ((i * 7 + j * 3) % 5 != 0) holes(i, j) = 0;
  const auto sparse =
      Csr<double>::from(Eigen::SparseMatrix<double, Eigen::RowMajor>(holes.sparseView()));
  expect_same_bits(Rows<double>(sparse), {.components = 3, .solver = Solver::randomized}, {},
                   {2, 5});
  // More columns than threads have sums for; more rows than a leaf has.
  const Index n = 1300, d = 8200;
  const Matrix<double> factors = rows_of(n, 3, 6), loadings = rows_of(d, 3, 7);
  const Matrix<float> wide = (factors * loadings.transpose()).cast<float>();
  expect_same_bits(Rows<float>(wide),
                   {.components = 1, .solver = Solver::randomized, .tolerance = 1e-4}, {}, {3});
}

/// Every column varies, about a mean near 0.
Matrix<double> wide_rows(Index n, Index d, std::uint64_t seed) {
  Matrix<double> x = Random(seed).normal(n, d);
  for (Index i = 0; i < n; ++i) x.row(i) *= 1 + std::cos(double(i));
  return x.array() + 0.1;
}

TEST(TeamMethods, M_G2_gram_of_few_rows_and_of_many) {
  const FitOptions options{.components = 3, .solver = Solver::gram};
  // A sum for each strip of 512 columns, or of 4,096 where rows are used in place.
  const Matrix<double> few = wide_rows(60, 30000, 8);
  expect_same_bits(Rows<double>(few), options);
  FitOptions scaled = options;
  scaled.scale = Scale::std;
  expect_same_bits(Rows<double>(few), scaled, weights_for(few.rows()), {3});
  // Tiles of 128 rows.
  const Matrix<double> many = wide_rows(400, 3000, 9);
  expect_same_bits(Rows<double>(many), options);
  const Matrix<float> floats = many.cast<float>();
  FitOptions about_zero = options;
  about_zero.center = false;
  expect_same_bits(Rows<float>(floats), about_zero, {}, {5});
}

TEST(TeamMethods, M_G2_gram_of_missing_cells_far_means_small_variances_and_sparse_rows) {
  FitOptions options{.components = 2, .solver = Solver::gram, .missing = Missing::mean};
  Matrix<double> holes = wide_rows(70, 900, 10);
  for (Index i = 0; i < holes.rows(); ++i) holes(i, i * 7) = std::nan("");
  expect_same_bits(Rows<double>(holes), options, {}, {4});
  options.missing = Missing::error;
  Matrix<double> far = wide_rows(70, 900, 11);
  far.array() += 1e5;
  expect_same_bits(Rows<double>(far), options, {}, {3});
  // Numbers whose squares underflow are multiplied by a power of two, on all ranks.
  const Matrix<double> tiny = 1e-145 * wide_rows(70, 900, 12);
  expect_same_bits(Rows<double>(tiny), options, {}, {3});
  // Small variances take an SVD of the rows.
  Matrix<double> graded = Random(13).normal(40, 800);
  for (Index i = 0; i < graded.rows(); ++i) graded.row(i) *= std::pow(10.0, -double(i) / 3);
  expect_same_bits(Rows<double>(graded), {.components = 30, .solver = Solver::gram}, {}, {2});
  Matrix<double> zeros = wide_rows(300, 2000, 14);
  for (Index i = 0; i < zeros.rows(); ++i)
    for (Index j = 0; j < zeros.cols(); ++j)
      if ((i * 7 + j * 3) % 10 != 0) zeros(i, j) = 0;
  const auto sparse =
      Csr<double>::from(Eigen::SparseMatrix<double, Eigen::RowMajor>(zeros.sparseView()));
  expect_same_bits(Rows<double>(sparse), options, weights_for(zeros.rows()), {5});
}

TEST(TeamMethods, M_G2_wide_rows_choose_the_gram_matrix_and_more_rows_than_fit_are_refused) {
  const Matrix<double> x = wide_rows(50, 2000, 15);
  const FitOptions options{.components = all_components()};
  EXPECT_EQ(fit(Rows<double>(x), options).report().solver.name, "gram");
  expect_same_bits(Rows<double>(x), options, {}, {2, 8});
  FitOptions small{.components = 2, .solver = Solver::gram};
  small.memory = std::size_t{1} << 20;
  for (const std::string& said : fits_on_team(3, Shares::even, Rows<double>(x), small))
    EXPECT_NE(said.find("every process needs all 50 rows for `solver=gram`"), std::string::npos)
        << said;
}

TEST(TeamMethods, M_G2_errors_in_the_gram_matrix_are_those_of_all_ranks) {
  Matrix<double> x = wide_rows(300, 2000, 16);
  FitOptions options{.components = 2, .solver = Solver::gram};
  options.monitor = [](const Progress& p) { return p.what != "Gram matrix"; };
  for (const std::string& said : fits_on_team(3, Shares::even, Rows<double>(x), options))
    EXPECT_EQ(said, "interrupted");
  x(200, 7) = std::nan("");
  options.monitor = {};
  for (const std::string& said : fits_on_team(3, Shares::some_empty, Rows<double>(x), options))
    EXPECT_EQ(said, "row 201, column 8 is nan; remove the row or fill in a number");
}

}  // namespace mercer::test::methods_test
