#include "solvers/dense.hpp"

#include "support/random.hpp"

#include <mercer/error.hpp>

#include <gtest/gtest.h>

namespace mercer::dense_test {

TEST(DenseEigenpairs, come_with_residuals_that_bound_the_error) {
  test::Random random(1);
  const Matrix<double> q = random.rotation(40);
  Vector<double> values(40);
  for (Index j = 0; j < 40; ++j) values[j] = 40 - static_cast<double>(j);
  const Matrix<double> a = q.transpose() * values.asDiagonal() * q;
  const Eigenpairs pairs = dense_eigenpairs(a, 7, 1e-10, 1);
  for (Index j = 0; j < 7; ++j) {
    EXPECT_LE(std::abs(pairs.values[j] - values[j]), pairs.residuals[j] + 1e-13);
    EXPECT_LE(pairs.residuals[j], 1e-12 * values[0]);
    EXPECT_NEAR(std::abs(pairs.vectors.row(j).dot(q.row(j))), 1, 1e-12);
  }
}

TEST(DenseEigenpairs, that_miss_the_tolerance_are_refused_with_what_was_reached) {
  const Matrix<double> a = test::Random(2).normal(50, 50);
  try {
    dense_eigenpairs(a, 50, 1e-300, 1);
    FAIL() << "an impossible tolerance was met";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::not_converged);
    EXPECT_NE(std::string(e.what()).find("1.0e-300"), std::string::npos) << e.what();
  }
}

TEST(FixSigns, makes_the_largest_entry_positive_and_is_stable_under_rounding) {
  Matrix<double> v(3, 3);
  v << 0.1, -0.9, 0.2, -0.6, 0.6, 0.1, 0.5, -0.5000000001, 0.1;
  fix_signs(v);
  EXPECT_GT(v(0, 1), 0);
  EXPECT_GT(v(1, 0), 0);
  EXPECT_GT(v(2, 0), 0);  // a tie up to 1e-6: the first decides
}

}  // namespace mercer::dense_test
