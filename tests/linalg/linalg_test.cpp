#include "linalg/blas.hpp"
#include "linalg/blocked_triangular.hpp"
#include "linalg/lapack.hpp"

#include "support/random.hpp"

#include <cblas.h>
#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

namespace mercer::linalg_test {

using test::Random;

TEST(BlasThreads, the_smallest_request_holds_and_the_callers_setting_comes_back) {
  openblas_set_num_threads(2);
  {
    const BlasThreads two(2);
    EXPECT_EQ(openblas_get_num_threads(), 2);
    {
      const BlasThreads one(1);
      EXPECT_EQ(openblas_get_num_threads(), 1);
      const BlasThreads other(2);
      EXPECT_EQ(openblas_get_num_threads(), 1);
    }
    EXPECT_EQ(openblas_get_num_threads(), 2);
  }
  EXPECT_EQ(openblas_get_num_threads(), 2);
}

TEST(SymmetricEigen, all_and_some_pairs_agree_with_another_solver) {
  Random random(1);
  for (const Index n : {1, 2, 30, 200})
    for (const Index k : {Index{1}, std::max<Index>(1, n / 5), n}) {
      const Matrix<double> b = random.normal(n, n);
      const Matrix<double> a = b + b.transpose();
      Matrix<double> upper = a.triangularView<Eigen::Upper>();  // the rest must not be read
      const auto [values, vectors] = symmetric_eigen(upper, k);
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> reference(a);
      ASSERT_EQ(vectors.rows(), k);
      for (Index i = 0; i < k; ++i)
        EXPECT_NEAR(values[i], reference.eigenvalues()[n - 1 - i], 1e-12 * a.norm());
      EXPECT_LT((vectors * a - values.asDiagonal() * vectors).norm(), 1e-12 * a.norm());
      EXPECT_LT((vectors * vectors.transpose() - Matrix<double>::Identity(k, k)).norm(), 1e-12);
    }
}

TEST(Triangle, holds_the_rows_whatever_the_blocks_they_came_in) {
  Random random(2);
  const Matrix<double> a = random.normal(3000, 6);
  const Matrix<double> expected = a.transpose() * a;
  for (const Index block : {1, 5, 256}) {
    Triangle first(6), second(6);
    for (Index i = 0; i < a.rows();) {
      Triangle& t = i < 1500 ? first : second;
      const Index count = std::min({block, t.capacity(), a.rows() - i});
      std::copy_n(a.data() + i * 6, count * 6, t.rows());
      t.push(count);
      i += count;
    }
    first.push(second);
    const Matrix<double> r = first.factor();
    EXPECT_LT((r.transpose() * r - expected).norm(), 1e-12 * expected.norm());
    EXPECT_TRUE(r.isUpperTriangular(0));
  }
}

TEST(RightSvd, tall_and_wide_agree_with_another_solver) {
  Random random(3);
  for (const auto& [n, d] : {std::pair<Index, Index>{9, 4}, {4, 9}, {5, 5}, {1, 3}}) {
    const Matrix<double> a = random.normal(n, d);
    const RightSvd svd = right_svd(a);
    const Eigen::JacobiSVD<Eigen::MatrixXd> reference(a);
    EXPECT_LT((svd.values - reference.singularValues()).norm(), 1e-13 * a.norm());
    const Matrix<double> ata = a.transpose() * a;
    const Vector<double> squares = svd.values.array().square();
    EXPECT_LT((svd.vectors * ata - squares.asDiagonal() * svd.vectors).norm(), 1e-13 * ata.norm());
  }
}

TEST(Multiply, products_agree_with_eigen_at_any_stride) {
  Random random(4);
  const Matrix<double> a = random.normal(7, 5), b = random.normal(9, 5), c = random.normal(5, 4);
  Matrix<double> out(7, 12);
  multiply_transposed(a.data(), 7, 5, 5, b.data(), 9, 5, out.data(), 12);
  EXPECT_LT((out.leftCols(9) - a * b.transpose()).norm(), 1e-13);
  multiply(a.data(), 7, 5, 5, c.data(), 4, 4, out.data(), 12);
  EXPECT_LT((out.leftCols(4) - a * c).norm(), 1e-13);
  multiply(a.data(), 7, 5, 5, c.data(), 4, 4, out.data(), 12, true);
  EXPECT_LT((out.leftCols(4) - 2 * a * c).norm(), 1e-13);
}

TEST(PivotedCholesky, takes_the_largest_first_and_stops_at_the_rank) {
  Random random(5);
  const Matrix<double> half = random.normal(6, 3);
  const Matrix<double> a = half * half.transpose();
  Matrix<double> l = a;
  const PivotedCholesky chosen = pivoted_cholesky(l, 1e-12);
  ASSERT_EQ(chosen.rank, 3);
  Index largest = 0;
  a.diagonal().maxCoeff(&largest);
  EXPECT_EQ(chosen.order[0], largest);
  Matrix<double> factor = l.leftCols(3).triangularView<Eigen::Lower>();
  for (Index i = 0; i < 6; ++i)
    for (Index j = 0; j < 6; ++j)
      EXPECT_NEAR(
          factor.row(i).dot(factor.row(j)),
          a(chosen.order[static_cast<std::size_t>(i)], chosen.order[static_cast<std::size_t>(j)]),
          1e-13 * a.norm());
}

TEST(PivotedCholesky, of_no_rows_is_empty_and_lapack_says_nothing) {
  Matrix<double> nothing(0, 0);
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  const PivotedCholesky chosen = pivoted_cholesky(nothing, 1e-12);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(chosen.rank, 0);
  EXPECT_TRUE(chosen.order.empty());
}

}  // namespace mercer::linalg_test
