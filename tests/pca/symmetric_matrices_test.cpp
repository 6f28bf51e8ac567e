// Covariance, correlation, scatter, Gram and centred kernel matrices against their definitions in
// long double.
#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/matrices.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace mercer::symmetric_matrices_test {

using test::error_of;
using test::has;
using Long = Eigen::Matrix<long double, -1, -1>;

/// Rows about their mean; whole numbers beside `far` are exact.
Long centred(const Matrix<double>& x) {
  Long a = x.cast<long double>();
  const Long origin = a.row(0);
  a.rowwise() -= origin.row(0);
  a.rowwise() -= a.colwise().mean().eval();
  return a;
}

Matrix<double> matrix_rows(double far) {
  Matrix<double> x(7, 3);
  x << 0, 5, 1, 1, 3, 0, 3, 2, 2, 4, 0, 1, 8, 1, 0, 9, 4, 3, 12, 2, 2;
  x.array() += far;
  return x;
}

double distance(const Matrix<double>& a, const Long& b) {
  return static_cast<double>((a.cast<long double>() - b).cwiseAbs().maxCoeff());
}

TEST(DataMatrices, M_T1_are_right_for_means_far_from_0) {
  for (const double far : {0.0, 1e9, 1e15}) {
    const Matrix<double> x = matrix_rows(far);
    const Long a = centred(x), s = a.transpose() * a;
    EXPECT_LE(distance(data_matrix(Rows<double>(x), DataMatrix::scatter), s), 1e-12) << far;
    EXPECT_LE(distance(data_matrix(Rows<double>(x), DataMatrix::covariance), s / 6), 1e-13) << far;
    EXPECT_LE(distance(data_matrix(Rows<double>(x), DataMatrix::covariance, {.ddof = 0}), s / 7),
              1e-13)
        << far;
    Long r = s;
    for (Index i = 0; i < 3; ++i)
      for (Index j = 0; j < 3; ++j) r(i, j) = s(i, j) / std::sqrt(s(i, i) * s(j, j));
    const Matrix<double> got = data_matrix(Rows<double>(x), DataMatrix::correlation);
    EXPECT_LE(distance(got, r), 1e-14) << far;
    EXPECT_EQ(got.diagonal(), Vector<double>::Ones(3));
    EXPECT_LE(
        distance(data_matrix(Rows<double>(x), DataMatrix::covariance, {.scale = Scale::std}), r),
        1e-13)
        << far;
    EXPECT_LE(distance(data_matrix(Rows<double>(x), DataMatrix::gram), a * a.transpose()), 1e-12)
        << far;
  }
}

TEST(DataMatrices, M_T1_weights_are_repeated_rows_and_no_center_keeps_the_mean) {
  const Matrix<double> x = matrix_rows(2);
  Matrix<double> twice(14, 3);
  twice << x, x;
  const std::vector<double> two(7, 2.0);
  for (const auto what : {DataMatrix::covariance, DataMatrix::scatter, DataMatrix::correlation})
    EXPECT_LE((data_matrix(Rows<double>(x), what, {}, two) - data_matrix(Rows<double>(twice), what))
                  .cwiseAbs()
                  .maxCoeff(),
              1e-12);
  const Long a = x.cast<long double>();
  EXPECT_LE(distance(data_matrix(Rows<double>(x), DataMatrix::scatter, {.center = false}),
                     a.transpose() * a),
            1e-12);
  EXPECT_LE(distance(data_matrix(Rows<double>(x), DataMatrix::gram, {.center = false}),
                     a * a.transpose()),
            1e-12);
}

TEST(DataMatrices, M_T1_a_constant_column_has_no_correlation_and_huge_numbers_do) {
  Matrix<double> x = matrix_rows(0);
  x.col(1).setConstant(0.1);
  const Error error = error_of([&] { data_matrix(Rows<double>(x), DataMatrix::correlation); });
  EXPECT_EQ(error.code(), Errc::bad_data);
  EXPECT_TRUE(has(error.what(), "column 2 is constant"));
  EXPECT_EQ(data_matrix(Rows<double>(x), DataMatrix::covariance)(1, 1), 0);
  const Matrix<double> huge = matrix_rows(0) * 1e200;
  EXPECT_LE((data_matrix(Rows<double>(huge), DataMatrix::correlation) -
             data_matrix(Rows<double>(matrix_rows(0)), DataMatrix::correlation))
                .norm(),
            1e-13);
  EXPECT_TRUE(has(error_of([&] { data_matrix(Rows<double>(huge), DataMatrix::covariance); }).what(),
                  "numbers too large to square"));
}

TEST(DataMatrices, M_P4_have_the_same_bits_for_any_number_of_threads) {
  const Matrix<double> x = test::Random(3).normal(3000, 20);
  for (const DataMatrixEntry& entry : data_matrix_table())
    EXPECT_EQ(data_matrix(Rows<double>(x), entry.matrix, {.threads = 1}),
              data_matrix(Rows<double>(x), entry.matrix, {.threads = 3}))
        << entry.name;
  const Kernel kernel = kernels::rbf({.gamma = 0.1});
  const Rows<double> some = Rows<double>(x).middle(0, 700);
  EXPECT_EQ(centred_kernel_matrix(kernel, some, {.threads = 1}),
            centred_kernel_matrix(kernel, some, {.threads = 3}));
}

/// J K J in long double.
template <class Function>
Long centred_by_definition(const Matrix<double>& x, Function k) {
  const Index n = x.rows();
  Long out(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      out(i, j) = k(Long(x.row(i).cast<long double>()), Long(x.row(j).cast<long double>()));
  out.rowwise() -= out.colwise().mean().eval();
  out.colwise() -= out.rowwise().mean().eval();
  return out;
}

TEST(CentredKernelMatrix, M_T1_is_JKJ_also_of_nearly_constant_kernels_and_far_rows) {
  const Matrix<double> x = test::Random(6).normal(30, 2);
  for (const double gamma : {0.5, 1e-9}) {
    const Long exact = centred_by_definition(x, [&](const Long& a, const Long& b) {
      // K − 1 has the same centred matrix, and all its digits.
      return std::expm1(-static_cast<long double>(gamma) * (a - b).squaredNorm());
    });
    const Matrix<double> got =
        centred_kernel_matrix(kernels::rbf({.gamma = gamma}), Rows<double>(x));
    // The plain difference of doubles would be off by 1e-16, of values near 1e-9.
    EXPECT_LE(distance(got, exact), 1e-13 * static_cast<double>(exact.norm())) << gamma;
    EXPECT_EQ(got, got.transpose());
    EXPECT_LE(got.rowwise().sum().cwiseAbs().maxCoeff(), 1e-13 * got.norm());
  }
  const Matrix<double> far = matrix_rows(1e15);
  const Long a = centred(far);
  EXPECT_LE(
      distance(centred_kernel_matrix(kernels::linear(), Rows<double>(far)), a * a.transpose()),
      1e-12);
}

TEST(CentredKernelMatrix, M_P2_values_that_centring_leaves_no_digits_of_are_refused) {
  // (1 + x·y)² is 1 up to 1e-18 here.
  const Matrix<double> x = 1e-9 * test::Random(8).normal(12, 2);
  const auto e =
      error_of([&] { centred_kernel_matrix(kernels::poly({.degree = 2}), Rows<double>(x)); });
  EXPECT_EQ(e.code(), Errc::bad_data);
  EXPECT_TRUE(has(e.what(), "less than six digits")) << e.what();
  EXPECT_GT(centred_kernel_matrix(kernels::rbf({.gamma = 1}), Rows<double>(x)).norm(), 0);
}

TEST(CentredKernelMatrix, M_T1_has_the_eigenvalues_of_kernel_pca) {
  const Matrix<double> x = test::Random(7).normal(40, 3);
  const Kernel kernel = kernels::poly({.degree = 2});
  const auto model = fit(x, {.kernel = kernel});
  // (1 + x·y)² has 10 features, one of them constant.
  EXPECT_EQ(model.outputs(), 9);
  const Matrix<double> k = centred_kernel_matrix(kernel, Rows<double>(x));
  EXPECT_NEAR(k.trace(), model.eigenvalues().sum(), 1e-10 * k.trace());
}

}  // namespace mercer::symmetric_matrices_test
