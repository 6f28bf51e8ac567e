// The public solver: any operator, any matrix.

#include "support/errors.hpp"
#include "support/operators.hpp"
#include "support/random.hpp"

#include <mercer/eigs_memory.hpp>

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>
#include <Eigen/Sparse>

#include <cmath>
#include <limits>
#include <numbers>

namespace mercer::eigs_test {

using test::expect_error;
using test::refusal;

/// −u″ on n points of an interval: eigenvalues 2 − 2 cos(jπ/(n + 1)).
struct SecondDifference {
  Index n = 0;
  int calls = 0;
  Index size() const { return n; }
  void apply(const Matrix<double>& v, Matrix<double>& out) {
    ++calls;
    out = 2 * v;
    out.topRows(n - 1) -= v.bottomRows(n - 1);
    out.bottomRows(n - 1) -= v.topRows(n - 1);
  }
};
static_assert(SymmetricOperator<SecondDifference>);

double exact(Index n, Index j) {
  return 2 - 2 * std::cos(static_cast<double>(j) * std::numbers::pi / static_cast<double>(n + 1));
}

TEST(Eigs, M_H2_an_operator_of_the_users_has_its_closed_form_eigenvalues) {
  SecondDifference a{120};
  for (const bool smallest : {false, true}) {
    a.calls = 0;
    const Eigs found = eigs(a, 4, {.smallest = smallest, .tolerance = 1e-9, .max_passes = 2000});
    ASSERT_EQ(found.values.size(), 4);
    ASSERT_EQ(found.vectors.rows(), 120);
    ASSERT_EQ(found.vectors.cols(), 4);
    EXPECT_EQ(found.passes, a.calls);
    const Matrix<double> unit = found.vectors.transpose() * found.vectors;
    EXPECT_LT((unit - Matrix<double>::Identity(4, 4)).cwiseAbs().maxCoeff(), 1e-12);
    Matrix<double> image(120, 4);
    a.apply(found.vectors, image);
    for (Index j = 0; j < 4; ++j) {
      const double wanted = exact(120, smallest ? j + 1 : 120 - j);
      // An eigenvalue lies within the residual; 1e-14 is the rounding of the product.
      EXPECT_NEAR(found.values[j], wanted, found.residuals[j] + 1e-14) << j;
      const double residual = (image.col(j) - found.values[j] * found.vectors.col(j)).norm();
      EXPECT_NEAR(residual, found.residuals[j], 1e-13);
      EXPECT_LE(found.residuals[j], 4e-9);
    }
    // The fifth is not beyond the bound on what was not found.
    const double fifth = exact(120, smallest ? 5 : 116);
    EXPECT_TRUE(smallest ? fifth >= found.beyond - 1e-6 : fifth <= found.beyond + 1e-6);
    EXPECT_GT(found.confidence, 0.999);
  }
}

TEST(Eigs, M_H2_matrices_dense_and_sparse_and_expressions_are_operators) {
  const Matrix<double> x = test::Random(1).normal(50, 30);
  const Eigen::MatrixXd a = x.transpose() * x;
  const Eigen::VectorXd wanted =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(a).eigenvalues().reverse();
  const auto near = [&](const Eigs& found) {
    EXPECT_LT((found.values - wanted.head(3)).cwiseAbs().maxCoeff(), 1e-10 * wanted[0]);
  };
  near(eigs(a, 3));
  near(eigs(Matrix<double>(a), 3));
  near(eigs(x.transpose() * x, 3));
  near(eigs(a.sparseView().eval(), 3));
  near(eigs(Eigen::SparseMatrix<double, Eigen::RowMajor>(a.sparseView()), 3));
  near(eigs(test::DenseOperator{a}, 3));  // a temporary will do
  EXPECT_EQ(eigs(a, 30).values.size(), 30);
  EXPECT_EQ(eigs(a, 3, {.seed = 5}).values, eigs(a, 3, {.seed = 5}).values);
  const Eigs plain = eigs(a, 3, {.bound = false});
  EXPECT_EQ(plain.confidence, 0);
  EXPECT_TRUE(std::isinf(plain.beyond));
  near(plain);
  near(eigs(a, 3, {.start = Matrix<double>(Matrix<double>::Random(30, 2))}));
  near(eigs(a, 3, {.memory = 1'000'000}));
}

TEST(Eigs, tiny_gaps_get_a_larger_basis_within_the_memory) {
  SecondDifference path{.n = 1500};
  const Eigs low = eigs(path, 3, {.smallest = true, .tolerance = 1e-9, .bound = false});
  for (Index j = 0; j < 3; ++j) EXPECT_NEAR(low.values[j], exact(1500, j + 1), 4e-9) << j;
  // 131 vectors and their products fit, but no more.
  const std::string why = refusal(
      [&] {
        eigs(path, 3,
             {.smallest = true,
              .tolerance = 1e-9,
              .bound = false,
              .max_passes = 200,
              .memory = 1500 * 8 * 330});
      },
      Errc::not_converged);
  EXPECT_NE(why.find("too slowly"), std::string::npos) << why;
}

TEST(Eigs, products_that_are_subnormal_are_refused) {
  const Matrix<double> normal = test::Random(4).normal(30, 30);
  const Matrix<double> a = 1e-312 * (normal + normal.transpose());
  const std::string why = refusal([&] { eigs(a, 2); }, Errc::bad_data);
  EXPECT_NE(why.find("subnormal"), std::string::npos) << why;
  EXPECT_NEAR(eigs(Matrix<double>(0x1p1000 * a), 1).residuals[0], 0, 1e-9 * 0x1p1000 * 1e-311);
  EXPECT_EQ(eigs(Matrix<double>::Zero(30, 30), 1).values[0], 0);
}

TEST(Eigs, an_infinite_bound_has_no_confidence) {
  // 11ᵀ of order 80: the eigenvalue 0 has 79 copies, more than random vectors can tell apart.
  const Eigs found = eigs(Matrix<double>(Matrix<double>::Ones(80, 80)), 1, {.smallest = true});
  EXPECT_EQ(found.beyond, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(found.confidence, 0);
}

TEST(Eigs, M_H3_what_cannot_be_is_refused) {
  const Matrix<double> a = Matrix<double>::Identity(9, 9);
  expect_error(Errc::bad_option, {"0 eigenpairs"}, [&] { eigs(a, 0); });
  expect_error(Errc::bad_option, {"10 eigenpairs", "size 9"}, [&] { eigs(a, 10); });
  expect_error(Errc::bad_option, {"`threads=-1`"}, [&] { eigs(a, 1, {.threads = -1}); });
  expect_error(Errc::bad_option, {"tolerance"}, [&] { eigs(a, 1, {.tolerance = 0}); });
  expect_error(Errc::bad_data, {"square"},
               [&] { eigs(Matrix<double>(Matrix<double>::Zero(2, 3)), 1); });
  expect_error(Errc::bad_data, {"not finite"}, [&] { eigs(Matrix<double>(a * std::nan("")), 1); });
  expect_error(Errc::bad_data, {"so large that sums overflow", "scale it"},
               [&] { eigs(Matrix<double>(Matrix<double>::Constant(9, 9, 1.7e308)), 1); });
  expect_error(Errc::out_of_memory, {}, [&] { eigs(a, 2, {.memory = 10}); });
  SecondDifference hard{400};
  expect_error(Errc::not_converged, {},
               [&] { eigs(hard, 5, {.smallest = true, .max_passes = 3}); });
  struct Wrong {
    Index size() const { return 3; }
    void apply(const Matrix<double>&, Matrix<double>& out) { out.resize(2, 1); }
  };
  expect_error(Errc::bad_data, {"2×1"}, [] { eigs(Wrong{}, 1); });
  struct NoProduct {
    Index size() const { return 3; }
  };
  static_assert(!SymmetricOperator<NoProduct> && !SymmetricOperator<int>);
}

TEST(Eigs, M_H2_a_matrix_in_memory_is_checked_and_multiplied_dense_or_sparse) {
  const Index n = 300;  // more than the rows of one task
  SecondDifference a{n};
  Matrix<double> dense(n, n);
  a.apply(Matrix<double>::Identity(n, n), dense);
  const auto csr = Csr<double>::from(Eigen::SparseMatrix<double>(dense.sparseView()));
  const Matrix<double> v = test::Random(7).normal(n, 5);
  Matrix<double> wanted(n, 5), found(n, 5);
  a.apply(v, wanted);
  for (const Rows<double>& rows : {Rows<double>(dense), Rows<double>(csr)})
    for (const int threads : {1, 3}) {
      const MatrixOperator matrix(rows, threads);
      matrix.apply(v, found);
      // Three terms of at most 2·4 each; dense products add zeros to them.
      EXPECT_LT((found - wanted).cwiseAbs().maxCoeff(), 1e-14);
      EXPECT_EQ(matrix.trace(), 600);
      EXPECT_EQ(matrix.size(), n);
    }
  expect_error(Errc::bad_data, {"3×300"},
               [&] { MatrixOperator(Rows<double>(dense).middle(0, 3)); });
  dense(4, 2) = 1e-9;
  expect_error(Errc::bad_data, {"row 3, column 5 is 0", "row 5, column 3 is 1e-09"},
               [&] { MatrixOperator{dense}; });
  dense(4, 2) = 1e-14;  // the rounding of whoever computed it
  MatrixOperator{dense};
  dense(7, 7) = std::numeric_limits<double>::quiet_NaN();
  expect_error(Errc::bad_data, {"row 8, column 8 is nan"}, [&] { MatrixOperator{dense}; });
}

TEST(Eigs, M_H2_an_operator_that_is_not_symmetric_is_named_with_numbers_that_show_it) {
  const Index n = 60;
  const Matrix<double> a = test::Random(3).normal(n, n);
  for (const bool smallest : {false, true})
    expect_error(Errc::bad_data, {"the operator is not symmetric", "v'Aw = ", "w'Av = "},
                 [&] { eigs(a, 3, {.smallest = smallest}); });
  // Asymmetric in one pair, by so little that it only shows in the residuals.
  Matrix<double> nearly = a + a.transpose();
  nearly(0, n - 1) += 1e-4;
  const std::string text = refusal([&] { eigs(nearly, 3); }, Errc::not_converged);
  EXPECT_TRUE(text.find("the operator is not symmetric") != text.npos) << text;
  EXPECT_TRUE(text.find("rounding") == text.npos) << text;
  // A wide tolerance allows for it, and symmetric ones are not suspected.
  eigs(nearly, 3, {.tolerance = 1e-3});
  eigs(Matrix<double>(a + a.transpose()), 3);
}

TEST(Eigs, M_H2_the_least_memory_is_enough_and_less_is_refused) {
  SecondDifference a{.n = 500};
  EigsOptions options{.tolerance = 1e-6, .max_passes = 5000};
  for (const Index k : {Index{1}, Index{5}, Index{20}}) {
    options.memory = least_eigs_memory(a.n, k, options);
    EXPECT_NEAR(eigs(a, k, options).values[0], exact(a.n, a.n), 1e-5);
    options.memory -= 1;
    expect_error(Errc::out_of_memory, {"at least"}, [&] { eigs(a, k, options); });
  }
}

}  // namespace mercer::eigs_test
