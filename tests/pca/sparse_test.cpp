// Sparse rows give the model of the same rows written out.
#include <mercer/mercer.hpp>

#include "support/random.hpp"

#include <gtest/gtest.h>
#include <Eigen/SparseCore>

namespace mercer::sparse_test {

using test::Random;

Matrix<double> mostly_zero(Index rows, Index cols, double share) {
  Random random(31);
  return Matrix<double>::NullaryExpr(
      rows, cols, [&] { return random.uniform() < share ? 1 + random.normal() : 0.0; });
}

template <class T>
Csr<T> csr(const Matrix<double>& x) {
  return Csr<T>::from(Eigen::SparseMatrix<double, Eigen::RowMajor>(x.sparseView()));
}

void expect_same(const Model<double>& a, const Model<double>& b) {
  EXPECT_LT((a.components() - b.components()).norm(), 1e-9);
  EXPECT_LT((a.mean() - b.mean()).norm(), 1e-12 * (1 + b.mean().norm()));
  const Vector<double> difference = a.eigenvalues() - b.eigenvalues();
  EXPECT_LT(difference.norm(), 1e-11 * b.eigenvalues()[0]);
  EXPECT_NEAR(a.report().total_variance, b.report().total_variance,
              1e-11 * b.report().total_variance);
}

TEST(Sparse, every_solver_gives_the_dense_answer) {
  for (const auto& [n, d] : {std::pair<Index, Index>{300, 20}, {20, 300}}) {
    const Matrix<double> x = mostly_zero(n, d, 0.2);
    const Csr<double> s = csr<double>(x);
    std::vector<double> weights(static_cast<std::size_t>(n));
    Random random(32);
    for (double& w : weights) w = random.uniform();
    for (const Solver solver : {Solver::covariance, Solver::gram, Solver::svd})
      for (const Scale scale : {Scale::none, Scale::std})
        for (const bool center : {true, false}) {
          const FitOptions o{.components = 4, .solver = solver, .center = center, .scale = scale};
          expect_same(fit(Rows<double>(s), o, weights), fit(Rows<double>(x), o, weights));
        }
  }
}

TEST(Sparse, scores_are_those_of_the_dense_rows) {
  const Matrix<double> x = mostly_zero(500, 40, 0.1);
  const Csr<double> s = csr<double>(x);
  const auto model = fit(x, {.components = 6, .scale = Scale::std});
  EXPECT_LT((model.transform(Rows<double>(s)) - model.transform(x)).norm(), 1e-11);
  const auto single = fit(x.cast<float>().eval(), {.components = 6});
  const Csr<float> f = csr<float>(x);
  EXPECT_LT((single.transform(Rows<float>(f)) - single.transform(x.cast<float>())).norm(), 1e-3);
}

TEST(Sparse, a_column_with_a_large_mean_costs_no_digits) {
  // Stored sparsely, though the first column has no zero: mean 1e7, variance 1.
  Matrix<double> x = mostly_zero(400, 12, 0.2);
  x.col(0) = Random(33).normal(400, 1).array() + 1e7;
  const Csr<double> s = csr<double>(x);
  for (const Solver solver : {Solver::covariance, Solver::gram}) {
    const auto model = fit(Rows<double>(s), {.components = 5, .solver = solver});
    const auto reference = fit(x, {.components = 5, .solver = Solver::svd});
    EXPECT_LT((model.components() - reference.components()).norm(), 1e-8);
    const Vector<double> difference = model.eigenvalues() - reference.eigenvalues();
    EXPECT_LT(difference.norm(), 1e-10 * reference.eigenvalues()[0]);
  }
}

TEST(Sparse, the_answer_does_not_depend_on_the_number_of_threads) {
  const Csr<double> s = csr<double>(mostly_zero(3000, 50, 0.2));
  const FitOptions one{.components = 5, .threads = 1}, three{.components = 5, .threads = 3};
  EXPECT_EQ(fit(Rows<double>(s), one).components(), fit(Rows<double>(s), three).components());
}

}  // namespace mercer::sparse_test
