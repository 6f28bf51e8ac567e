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

}  // namespace mercer::test::methods_test
