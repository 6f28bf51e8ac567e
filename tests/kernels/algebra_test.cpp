#include <mercer/kernel.hpp>

#include "kernels/reference.hpp"
#include "support/errors.hpp"

#include <gtest/gtest.h>

namespace mercer::algebra_test {

using test::error_of;
using test::Random;

TEST(KernelAlgebra, M_C2_the_matrix_of_a_sum_is_the_sum_of_the_matrices_and_so_on) {
  Random random(1);
  const Matrix<double> x = test::nonnegative_rows<double>(random, 300, 4);
  const Kernel a = kernels::rbf({.gamma = 0.5}), b = kernels::poly({.degree = 2});
  const Matrix<double> ka = a.matrix<double>(x), kb = b.matrix<double>(x);
  const auto near = [&](const Kernel& k, const Matrix<double>& expected) {
    EXPECT_LT((k.matrix<double>(x) - expected).cwiseAbs().maxCoeff(),
              1e-13 * expected.cwiseAbs().maxCoeff())
        << k.text();
    EXPECT_LT((k.diagonal<double>(x) - expected.diagonal()).cwiseAbs().maxCoeff(),
              1e-13 * expected.cwiseAbs().maxCoeff())
        << k.text();
  };
  near(a + b, ka + kb);
  near(a * b, ka.cwiseProduct(kb));
  near(3.5 * a, 3.5 * ka);
  near(pow(b, 3), kb.array().cube().matrix());
  near(a + kernels::constant(2), (ka.array() + 2).matrix());
  near(2 * (a + 0.5 * b) * a, (2 * ka + kb).cwiseProduct(ka));
}

TEST(KernelAlgebra, ingredients_that_are_shared_give_the_same_values) {
  Random random(2);
  const Matrix<double> x = test::nonnegative_rows<double>(random, 40, 4);
  std::vector<Kernel> all;
  for (const auto& r : test::references()) all.push_back(r.kernel);
  Matrix<double> expected = Matrix<double>::Zero(40, 40);
  Kernel sum = all[0];
  for (std::size_t i = 1; i < all.size(); ++i) sum = sum + all[i];
  for (const Kernel& k : all) expected += k.matrix<double>(x);
  EXPECT_LT((sum.matrix<double>(x) - expected).cwiseAbs().maxCoeff(), 1e-12 * expected.maxCoeff());
}

TEST(KernelAlgebra, M_C2_a_function_of_the_users_own) {
  Random random(3);
  const Matrix<double> x = random.normal(300, 3);
  const Kernel own =
      Kernel::function("mine", [](std::span<const double> a, std::span<const double> b) {
        return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
      });
  EXPECT_EQ(own.text(), "function(mine)");
  EXPECT_FALSE(own.always_valid());
  const Kernel k = 2 * own + kernels::rbf({.gamma = 1});
  const Kernel same = 2 * kernels::linear() + kernels::rbf({.gamma = 1});
  EXPECT_LT((k.matrix<double>(x) - same.matrix<double>(x)).norm(), 1e-11);
  EXPECT_LT((k.matrix<double>(test::sparse_copy(x)) - same.matrix<double>(x)).norm(), 1e-11);
  EXPECT_LT((k.diagonal<double>(x) - same.diagonal<double>(x)).norm(), 1e-12);
  EXPECT_LT((own.matrix<float>(Matrix<float>(x.cast<float>())) -
             kernels::linear().matrix<float>(Matrix<float>(x.cast<float>())))
                .norm(),
            1e-3);
  const Kernel bad = Kernel::function("bad", [](auto, auto) { return std::nan(""); });
  EXPECT_HAS(error_of([&] { bad.matrix<double>(x); }).what(), "function(bad)");
  EXPECT_EQ(error_of([] { Kernel::function("none", nullptr); }).code(), Errc::bad_option);
}

TEST(KernelAlgebra, M_C2_factors_that_are_not_positive_are_refused_when_built) {
  for (const double factor : {0.0, -1.0, std::nan(""), 1.0 / 0.0}) {
    const auto e = error_of([&] { return factor * kernels::linear(); });
    EXPECT_EQ(e.code(), Errc::bad_option);
    EXPECT_HAS(e.what(), "positive factors");
  }
  EXPECT_EQ(error_of([] { pow(kernels::linear(), 0); }).code(), Errc::bad_option);
}

TEST(KernelAlgebra, what_is_valid_by_construction) {
  for (const char* text :
       {"linear", "poly", "poly(coef0=0)", "rbf", "2*rbf*linear + cosine^2", "chi2 + 1"})
    EXPECT_TRUE(Kernel::parse(text).always_valid()) << text;
  for (const char* text : {"poly(degree=1, coef0=-1)", "sigmoid", "rbf + sigmoid"})
    EXPECT_FALSE(Kernel::parse(text).always_valid()) << text;
}

TEST(KernelAlgebra, open_widths_are_chosen_by_the_median) {
  const Matrix<double> x{{0, 0}, {1, 1}, {0, 2}};  // squared distances 2, 4, 2; L1: 2, 2, 2
  EXPECT_FALSE(Kernel::parse("2*rbf + linear").complete());
  const auto chooses = [](const char* open, const Rows<double>& rows, const char* expected) {
    const Kernel k = Kernel::parse(open).completed(rows);
    EXPECT_TRUE(k.complete());
    EXPECT_LT((k.matrix(rows) - Kernel::parse(expected).matrix(rows)).norm(), 1e-14) << k.text();
  };
  chooses("2*rbf + linear", x, "2*rbf(gamma=0.5) + linear()");
  chooses("laplacian", x, "laplacian(gamma=0.5)");
  chooses("(matern*exponential)^2", x,
          "(matern(nu=1.5, length=1.4142135623730951)*exponential(gamma=0.7071067811865475))^2");
  const Csr<double> sparse = test::sparse_copy(x);
  chooses("rbf", sparse, "rbf(gamma=0.5)");
  EXPECT_EQ(kernels::rbf({.gamma = 3}).completed<double>(x).text(), "rbf(gamma=3)");
  const Matrix<double> equal = Matrix<double>::Ones(4, 2);
  const auto e = error_of([&] { kernels::rbf().completed<double>(equal); });
  EXPECT_EQ(e.code(), Errc::bad_data);
  EXPECT_HAS(e.what(), "all rows are equal");
}

TEST(KernelAlgebra, the_table_has_a_row_for_every_kernel) {
  EXPECT_EQ(kernel_table().size(), 12u);
  for (const KernelEntry& entry : kernel_table()) {
    EXPECT_NO_THROW(Kernel::parse(entry.name)) << entry.name;
    EXPECT_FALSE(entry.formula.empty());
  }
}

TEST(KernelAlgebra, costs_grow_with_columns_and_parts) {
  EXPECT_GT(kernels::rbf({.gamma = 1}).flops_per_pair(50), 100);
  EXPECT_GT((kernels::linear() + kernels::linear()).flops_per_pair(50),
            kernels::linear().flops_per_pair(50));
}

}  // namespace mercer::algebra_test
