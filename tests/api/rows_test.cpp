// What `Rows` can be made of, and what it cannot: both are compiled.

#include "support/random.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>

#include <array>
#include <type_traits>

namespace mercer::api_rows_test {

using Eigen::MatrixXd;
using Eigen::MatrixXf;
using Eigen::MatrixXi;

template <class T, class X>
constexpr bool makes_rows = std::is_convertible_v<X, Rows<T>>;

// Rows of float and of double; of matrices with the same numbers, row-major or not.
static_assert(makes_rows<double, MatrixXd&> && makes_rows<float, const MatrixXf&>);
static_assert(makes_rows<double, Matrix<double>&> && makes_rows<double, Matrix<double>>);
static_assert(makes_rows<double, MatrixView<double>> && makes_rows<double, MatrixRef<double>>);
static_assert(makes_rows<double, Eigen::RowVectorXd&> && makes_rows<double, Csr<double>>);
static_assert(!makes_rows<double, MatrixXf&> && !makes_rows<float, MatrixXd&>);
static_assert(!makes_rows<double, MatrixXi&> && !makes_rows<double, Csr<float>&>);
static_assert(!makes_rows<double, std::vector<double>&> && !makes_rows<double, int>);

template <class T>
concept has_rows = requires {
  typename Rows<T>;
};
static_assert(has_rows<float> && has_rows<double>);
static_assert(!has_rows<int> && !has_rows<long double> && !has_rows<const double>);

// Weights: whatever lies in one piece.
static_assert(std::is_convertible_v<std::vector<double>&, Weights>);
static_assert(std::is_convertible_v<std::span<const double>, Weights>);
static_assert(std::is_convertible_v<std::span<double>, Weights>);
static_assert(std::is_convertible_v<std::array<double, 3>&, Weights>);
static_assert(std::is_convertible_v<Eigen::VectorXd&, Weights>);
static_assert(std::is_convertible_v<Eigen::RowVectorXd&, Weights>);
static_assert(!std::is_convertible_v<const double*, Weights>);
static_assert(!std::is_convertible_v<std::vector<float>&, Weights>);
static_assert(!std::is_convertible_v<Eigen::VectorXf&, Weights>);
static_assert(!std::is_convertible_v<MatrixXd&, Weights>);

TEST(ApiRows, M_H1_rows_of_row_major_storage_are_borrowed) {
  Matrix<double> r = test::Random(1).normal(6, 3);
  EXPECT_EQ(Rows<double>(r).row(0), r.data());
  EXPECT_EQ(Rows<double>(r.topRows(3)).row(0), r.data());
  EXPECT_EQ(Rows<double>(r.topRows(3)).rows(), 3);
  const Rows<double> block(r.block(1, 1, 4, 2));
  EXPECT_EQ(block.row(0), r.data() + 4);
  EXPECT_EQ(block.stride(), 3);
  EXPECT_EQ(block.dense(), r.block(1, 1, 4, 2));
  EXPECT_EQ(Rows<double>(r.row(2)).row(0), r.data() + 6);
  const Rows<double> all(r);
  r(5, 2) = 7;
  EXPECT_EQ(all.row(5)[2], 7);
}

TEST(ApiRows, M_H1_anything_else_is_copied_once_and_lives_on) {
  MatrixXd x = test::Random(2).normal(5, 4);
  const MatrixXd before = x;
  const Rows<double> rows(x);
  EXPECT_EQ(rows.dense(), before);
  x.setZero();
  EXPECT_EQ(rows.dense(), before);  // a copy
  Rows<double> part;
  {
    const Rows<double> sums(before + before);
    part = sums.middle(1, 2);
    EXPECT_EQ(part.row(0), sums.row(1));  // one copy, however many Rows
  }
  EXPECT_EQ(part.dense(), (2 * before).middleRows(1, 2));
  EXPECT_EQ(Rows<double>(before.transpose()).dense(), before.transpose());  // row-major: borrowed
  EXPECT_EQ(Rows<double>(before.transpose()).row(0), before.data());
  const Matrix<double> r = before;
  EXPECT_EQ(Rows<double>(r.col(1)).dense(), r.col(1));
  EXPECT_EQ(Rows<double>(r.middleCols(1, 2)).dense(), r.middleCols(1, 2));
}

TEST(ApiRows, M_H1_rows_of_a_temporary_keep_it) {
  const auto make = [] { return Matrix<double>(Matrix<double>::Constant(200, 50, 3)); };
  const Rows<double> rows = make();
  EXPECT_EQ(rows.dense(), make());
  const MatrixXd columns = make();
  const Rows<double> referred = MatrixRef<double>(columns);  // holds a copy, and ends here
  EXPECT_EQ(referred.dense(), make());
  Csr<double> csr{.cols = 2, .offsets = {0, 1, 2}, .columns = {0, 1}, .values = {5, 6}};
  const Rows<double> sparse = Csr<double>(csr);
  EXPECT_EQ(sparse.csr().values[1], 6);
  EXPECT_EQ(Rows<double>(csr).csr().values, csr.values.data());
}

TEST(ApiRows, M_H1_as_many_weights_as_rows_or_none) {
  const MatrixXd x = test::Random(3).normal(5, 2);
  try {
    fit(x, {}, std::vector<double>(4, 1.0));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_data);
    EXPECT_STREQ(error.what(), "there are 4 `weights` for 5 rows: one per row is needed");
  }
  EXPECT_EQ(fit(x, {}, std::vector<double>{}).eigenvalues(), fit(x).eigenvalues());
}

}  // namespace mercer::api_rows_test
