#include "kernels/reference.hpp"

#include "simd/every_target.hpp"
#include "support/errors.hpp"

#include <gtest/gtest.h>

namespace mercer::tile_test {

using test::error_of;
using test::Random;

template <class T>
constexpr double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());

/// Errors relative to the values there are, in units of ε.
template <class T>
double error_of_tile(const Matrix<T>& got, const Matrix<double>& truth) {
  return (got.template cast<double>() - truth).cwiseAbs().maxCoeff() /
         std::max(1.0, truth.cwiseAbs().maxCoeff()) / epsilon<T>;
}

TEST(KernelTile, M_C1_two_points_and_the_inhomogeneous_square) {
  const Matrix<double> x{{1, 1}, {2, 1}};
  EXPECT_EQ(Kernel::parse("poly(degree=2, coef0=1)").matrix<double>(x),
            (Matrix<double>{{9, 16}, {16, 36}}));
}

TEST(KernelTile, M_C1_both_spellings_of_the_gaussian_agree) {
  Random random(1);
  const Matrix<double> x = random.normal(9, 4);
  EXPECT_EQ(kernels::rbf({.sigma = 2}).matrix<double>(x),
            kernels::rbf({.gamma = 0.125}).matrix<double>(x));
}

template <class T>
void check_formulas(Index n, Index m, Index d) {
  Random random(static_cast<std::uint64_t>(n + m + d));
  const Matrix<T> x = test::nonnegative_rows<T>(random, n, d),
                  y = test::nonnegative_rows<T>(random, m, d);
  for (const test::Reference& r : test::references()) {
    Matrix<T> k(n, m);
    r.kernel.tile<T>(x, y, k);
    EXPECT_LT(error_of_tile(k, test::by_formula(r.formula, x, y)), 30 + 4 * static_cast<double>(d))
        << r.kernel.text() << " " << n << "x" << m << "x" << d;
  }
}

TEST(KernelTile, M_C1_every_kernel_follows_its_formula) {
  test::on_every_target([] {
    for (const Index d : {1, 3, 20}) {
      check_formulas<double>(13, 7, d);
      check_formulas<float>(13, 7, d);
    }
    check_formulas<double>(1, 1, 5);
  });
}

TEST(KernelTile, sparse_rows_on_either_side_give_the_same) {
  Random random(2);
  const Matrix<double> x = test::nonnegative_rows<double>(random, 20, 9),
                       y = test::nonnegative_rows<double>(random, 35, 9);
  const Csr<double> xs = test::sparse_copy(x), ys = test::sparse_copy(y);
  for (const test::Reference& r : test::references()) {
    const Matrix<double> dense = r.kernel.matrix<double>(x, y);
    const double bound = 1e-13 * std::max(1.0, dense.cwiseAbs().maxCoeff());
    for (const Rows<double>& left : {Rows<double>(x), Rows<double>(xs)})
      for (const Rows<double>& right : {Rows<double>(y), Rows<double>(ys)})
        EXPECT_LT((r.kernel.matrix(left, right) - dense).cwiseAbs().maxCoeff(), bound)
            << r.kernel.text() << left.sparse() << right.sparse();
  }
}

TEST(KernelTile, matrix_is_exactly_symmetric_with_the_diagonal_of_its_own) {
  Random random(3);
  const Matrix<double> x = test::nonnegative_rows<double>(random, 300, 5);
  for (const test::Reference& r : test::references()) {
    const Matrix<double> k = r.kernel.matrix(x, {.threads = 2});
    EXPECT_EQ(k, Matrix<double>(k.transpose())) << r.kernel.text();
    EXPECT_EQ(Vector<double>(k.diagonal()), r.kernel.diagonal<double>(x)) << r.kernel.text();
    EXPECT_LT((k - r.kernel.matrix<double>(x, Rows<double>(x))).cwiseAbs().maxCoeff(),
              1e-12 * k.cwiseAbs().maxCoeff())
        << r.kernel.text();
    EXPECT_EQ(k, r.kernel.matrix(x, {.threads = 1})) << r.kernel.text();
  }
  EXPECT_EQ(kernels::rbf({.gamma = 3}).matrix<double>(x).diagonal(), Vector<double>::Ones(300));
}

TEST(KernelTile, a_far_mean_costs_distances_nothing) {
  Random random(4);
  const Matrix<double> x = random.normal(40, 6);
  const Matrix<double> far = (x.array() + 1e6).matrix();
  const Matrix<double> back = (far.array() - 1e6).matrix();  // as it was rounded
  for (const char* text : {"rbf(gamma=0.1)", "exponential(gamma=0.5)", "matern(nu=2.5, length=2)"})
    EXPECT_LT((Kernel::parse(text).matrix<double>(far) - Kernel::parse(text).matrix<double>(back))
                  .cwiseAbs()
                  .maxCoeff(),
              1e-13)
        << text;
}

TEST(KernelTile, near_rows_keep_their_digits_under_a_root) {
  Matrix<double> x{{3, 4}, {3, 4 + 1e-9}, {-3, -4}};
  const Matrix<double> k = kernels::exponential({.gamma = 1e8}).matrix<double>(x);
  EXPECT_NEAR(k(0, 1), std::exp(-1e8 * (x(1, 1) - x(0, 1))), 1e-14);
  const Csr<double> sparse = test::sparse_copy(x);
  EXPECT_NEAR(kernels::exponential({.gamma = 1e8}).matrix<double>(sparse)(0, 1), k(0, 1), 1e-14);
}

TEST(KernelTile, tiles_may_be_blocks_of_a_larger_matrix) {
  Random random(5);
  const Matrix<double> x = random.normal(4, 3);
  Matrix<double> out = Matrix<double>::Zero(8, 9);
  kernels::linear().tile<double>(x, x, out.block(2, 3, 4, 4));
  EXPECT_LT((out.block(2, 3, 4, 4) - x * x.transpose()).norm(), 1e-14);
  EXPECT_NEAR(out.norm(), (x * x.transpose()).norm(), 1e-13);
}

TEST(KernelTile, overflow_is_refused_with_a_hint) {
  const Matrix<double> x{{1e60, 1}, {2, 1}};
  const Kernel poly = kernels::poly({.degree = 9});
  const auto e = error_of([&] { poly.matrix<double>(x); });
  EXPECT_EQ(e.code(), Errc::bad_data);
  EXPECT_HAS(e.what(), "poly(degree=9, coef0=1)");
  EXPECT_HAS(e.what(), "`scale=std`");
  EXPECT_EQ(error_of([&] { poly.diagonal<double>(x); }).code(), Errc::bad_data);
  EXPECT_EQ(error_of([&] { pow(kernels::linear(), 9).matrix<double>(x); }).code(), Errc::bad_data);
  const Matrix<double> nan{{std::nan(""), 1}, {2, 1}};
  for (const test::Reference& r : test::references())
    if (r.kernel.text().find("constant") == std::string::npos) {
      EXPECT_EQ(error_of([&] { r.kernel.matrix<double>(nan); }).code(), Errc::bad_data)
          << r.kernel.text();
    }
}

TEST(KernelTile, chi2_names_the_negative_entry) {
  Matrix<double> x = Matrix<double>::Ones(300, 3);
  x(280, 1) = -2;
  const Csr<double> sparse = test::sparse_copy(x);
  for (const char* text : {"chi2", "additive_chi2", "rbf(gamma=1) + 2*chi2"})
    for (const Rows<double>& rows : {Rows<double>(x), Rows<double>(sparse)}) {
      const auto e = error_of([&] { Kernel::parse(text).matrix(rows); });
      EXPECT_EQ(e.code(), Errc::bad_data);
      EXPECT_HAS(e.what(), "row 281, column 2 is -2");
    }
}

TEST(KernelTile, rows_must_fit) {
  const Matrix<double> x = Matrix<double>::Ones(2, 3), y = Matrix<double>::Ones(2, 4);
  EXPECT_HAS(error_of([&] { kernels::linear().matrix<double>(x, y); }).what(),
             "rows of 3 columns against rows of 4 columns");
  EXPECT_HAS(error_of([&] { kernels::rbf().matrix<double>(x); }).what(), "rbf()");
  EXPECT_EQ(kernels::linear().matrix<double>(Matrix<double>(0, 3)).size(), 0);
}

TEST(KernelTile, huge_and_tiny_widths_do_not_break) {
  const Matrix<float> x{{1, 2}, {3, 4}};
  for (const double gamma : {1e300, 1e-300})
    for (const Kernel& k : {kernels::rbf({.gamma = gamma}), kernels::laplacian({.gamma = gamma}),
                            kernels::exponential({.gamma = gamma})}) {
      const Matrix<float> m = k.matrix<float>(x);
      EXPECT_EQ(m(0, 0), 1);
      EXPECT_EQ(m(0, 1), gamma > 1 ? 0 : 1);
    }
}

}  // namespace mercer::tile_test
