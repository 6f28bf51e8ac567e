#include <mercer/kernel.hpp>

#include "kernels/reference.hpp"
#include "support/errors.hpp"

#include <gtest/gtest.h>

namespace mercer::check_test {

using test::error_of;
using test::Random;

Matrix<double> sampled(const Matrix<double>& x, const MercerCheck& check) {
  Matrix<double> rows(check.rows, x.cols());
  for (Index i = 0; i < check.rows; ++i)
    rows.row(i) = x.row(check.sample[static_cast<std::size_t>(i)]);
  return rows;
}

/// The witness does what it says: zᵀKz < 0 with ‖z‖ = 1.
void expect_witness(const Kernel& kernel, const Matrix<double>& x, const MercerCheck& check) {
  ASSERT_EQ(check.witness.size(), check.rows) << kernel.text();
  EXPECT_NEAR(check.witness.norm(), 1, 1e-12);
  const Rows<double> rows = x;
  const Matrix<double> z = sampled(x, check);
  const Matrix<double> k = kernel.matrix<double>(z, Rows<double>(z));
  const double value = check.witness.dot(k * check.witness);
  EXPECT_LT(value, 0);
  EXPECT_NEAR(value, check.smallest, 1e-9 * k.norm());
}

TEST(MercerCheck, M_C3_accepts_every_valid_kernel) {
  Random random(1);
  const Matrix<double> x = test::nonnegative_rows<double>(random, 80, 4);
  for (const auto& r : test::references()) {
    if (!r.kernel.always_valid()) continue;
    const MercerCheck check = check_kernel<double>(r.kernel, x);
    EXPECT_TRUE(check.valid()) << r.kernel.text() << " " << check.smallest << " "
                               << check.asymmetry;
    EXPECT_EQ(check.witness.size(), 0);
    EXPECT_EQ(check.rows, 80);
  }
  for (const char* text : {"2*rbf*linear + cosine^2", "rbf + chi2*additive_chi2 + 1"})
    EXPECT_TRUE(check_kernel<double>(Kernel::parse(text), x).valid()) << text;
  // One that is valid, but not by a rule that we know.
  const Kernel own =
      Kernel::function("dot", [](auto a, auto b) { return a[0] * b[0] + a[1] * b[1]; });
  EXPECT_TRUE(check_kernel<double>(own, x).valid());
}

TEST(MercerCheck, M_C3_rejects_a_negated_kernel_a_shifted_product_and_a_bad_sigmoid) {
  Random random(2);
  const Matrix<double> x = random.normal(60, 3);
  const Kernel minus = Kernel::function("minus", [](auto a, auto b) { return -a[0] * b[0] - 1; });
  for (const Kernel& k : {minus, Kernel::parse("poly(degree=1, coef0=-1)"),
                          Kernel::parse("sigmoid(gamma=1, coef0=-2)")}) {
    const MercerCheck check = check_kernel<double>(k, x);
    EXPECT_TRUE(check.symmetric);
    EXPECT_FALSE(check.positive) << k.text();
    EXPECT_FALSE(check.valid());
    EXPECT_LT(check.smallest, -check.noise);
    expect_witness(k, x, check);
  }
}

TEST(MercerCheck, M_C3_rejects_an_asymmetric_function_and_says_where) {
  const Matrix<double> x{{1, 0}, {0, 2}, {5, 5}};
  const Kernel k = Kernel::function("crooked", [](auto a, auto b) {
    return a[0] * b[0] + a[1] * b[1] + (a[0] == 5 && b[0] == 0 ? 3 : 0);
  });
  const MercerCheck check = check_kernel<double>(k, x);
  EXPECT_FALSE(check.symmetric);
  EXPECT_FALSE(check.valid());
  EXPECT_NEAR(check.asymmetry, 3, 1e-12);
  EXPECT_EQ(check.row, 1);
  EXPECT_EQ(check.column, 2);
}

TEST(MercerCheck, large_data_are_sampled_evenly_and_the_size_is_stated) {
  Random random(3);
  const Matrix<double> x = random.normal(1000, 2);
  const Kernel bad = Kernel::parse("poly(degree=1, coef0=-1)");
  const MercerCheck check = check_kernel<double>(bad, x, {.rows = 50});
  EXPECT_EQ(check.rows, 50);
  EXPECT_EQ(check.of, 1000);
  EXPECT_EQ(check.sample.front(), 0);
  EXPECT_EQ(check.sample[1], 20);
  expect_witness(bad, x, check);
  const Csr<double> sparse = test::sparse_copy(x);
  EXPECT_NEAR(check_kernel<double>(bad, sparse, {.rows = 50}).smallest, check.smallest, 1e-10);
  const Matrix<float> single = x.cast<float>();
  EXPECT_NEAR(check_kernel<float>(bad, single, {.rows = 50}).smallest, check.smallest, 1e-4);
}

TEST(MercerCheck, a_matrix_from_elsewhere) {
  EXPECT_TRUE(check_kernel_matrix(Matrix<double>{{2, 1}, {1, 2}}).valid());
  const MercerCheck check = check_kernel_matrix(Matrix<double>{{1, 2}, {2, 1}});
  EXPECT_FALSE(check.positive);
  EXPECT_NEAR(check.smallest, -1, 1e-14);
  EXPECT_NEAR(check.largest, 3, 1e-14);
  EXPECT_EQ(error_of([] { check_kernel_matrix(Matrix<double>(2, 3)); }).code(), Errc::bad_data);
  EXPECT_EQ(error_of([] { check_kernel_matrix(Matrix<double>(0, 0)); }).code(), Errc::bad_data);
  EXPECT_EQ(error_of([] {
              check_kernel_matrix(Matrix<double>{{std::nan(""), 0}, {0, 1}});
            }).code(),
            Errc::bad_data);
}

}  // namespace mercer::check_test
