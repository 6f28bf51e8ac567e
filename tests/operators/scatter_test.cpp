#include "operators/scatter.hpp"

#include "support/random.hpp"

#include <mercer/operator.hpp>

#include <gtest/gtest.h>
#include <Eigen/SparseCore>

#include <cmath>

namespace mercer::test::scatter_test {

static_assert(SymmetricOperator<ScatterOperator<double>>);

/// Σ w (x − m)(x − m)ᵀ, row by row.
Matrix<double> reference(const Matrix<double>& x, const Vector<double>& w, bool center) {
  const Index d = x.cols();
  Vector<double> mean = Vector<double>::Zero(d);
  if (center) mean = x.transpose() * w / w.sum();
  Matrix<double> s = Matrix<double>::Zero(d, d);
  for (Index i = 0; i < x.rows(); ++i) {
    const Vector<double> c = x.row(i).transpose() - mean;
    s += w[i] * c * c.transpose();
  }
  return s;
}

TEST(ScatterOperator, is_the_scatter_matrix_of_dense_and_sparse_rows_cut_anywhere) {
  Random random(1);
  const Index n = 700, d = 9;
  Matrix<double> x = random.normal(n, d).unaryExpr([](double v) { return v > 0.5 ? v : 0.0; });
  const Csr<double> sparse =
      Csr<double>::from(Eigen::SparseMatrix<double, Eigen::RowMajor>(x.sparseView()));
  Vector<double> w(n);
  for (Index i = 0; i < n; ++i) w[i] = 0.5 + static_cast<double>(i % 4);
  const Matrix<double> v = random.normal(d, 5);
  for (const bool center : {true, false})
    for (const bool weighted : {true, false})
      for (const bool dense : {true, false}) {
        const Rows<double> rows = dense ? Rows<double>(x) : Rows<double>(sparse);
        ScatterOperator<double> s(d,
                                  [&](const auto& visit) {
                                    for (Index i = 0; i < n; i += 300) {
                                      const Index count = std::min<Index>(300, n - i);
                                      visit(rows.middle(i, count),
                                            weighted ? w.data() + i : nullptr);
                                    }
                                  },
                                  {.center = center, .threads = 2});
        const Matrix<double> truth =
            reference(x, weighted ? w : Vector<double>(Vector<double>::Ones(n)), center);
        Matrix<double> out(d, 5);
        for (int pass = 0; pass < 2; ++pass) {
          s.apply(v, out);
          EXPECT_LT((out - truth * v).norm(), 1e-13 * truth.norm() * v.norm());
        }
        EXPECT_LT((s.diagonal() - truth.diagonal()).norm(), 1e-13 * truth.norm());
        if (center && !weighted)
          EXPECT_LT((s.mean() - x.colwise().mean().transpose()).norm(), 1e-14);
      }
}

TEST(ScatterOperator, sparse_rows_have_their_own_mean_though_a_shift_is_given) {
  Random random(3);
  const Matrix<double> x =
      random.normal(50, 4).unaryExpr([](double v) { return v > 0.5 ? v : 0.0; });
  const Csr<double> sparse =
      Csr<double>::from(Eigen::SparseMatrix<double, Eigen::RowMajor>(x.sparseView()));
  const Vector<double> mean = x.colwise().mean();
  ScatterOperator<double> s(4, [&](const auto& visit) { visit(Rows<double>(sparse), nullptr); },
                            {.shift = mean});
  Matrix<double> out(4, 1);
  s.apply(random.normal(4, 1), out);
  EXPECT_LT((s.mean() - mean).norm(), 1e-15);
}

TEST(ScatterOperator, a_far_mean_costs_no_digits) {
  Random random(2);
  const Matrix<double> near = random.normal(500, 4);
  const Matrix<double> far = (near.array() + 1e8).matrix();
  const Matrix<double> back = (far.array() - 1e8).matrix();  // as it was rounded
  const Matrix<double> v = random.normal(4, 3);
  ScatterOperator<double> s(4, [&](const auto& visit) { visit(Rows<double>(far), nullptr); }, {});
  Matrix<double> out(4, 3);
  s.apply(v, out);
  const Matrix<double> truth = reference(back, Vector<double>::Ones(500), true);
  // The shift itself is off by an ulp of 1e8, 1.5e-8, which centring takes off again.
  EXPECT_LT((out - truth * v).norm(), 1e-12 * truth.norm() * v.norm());
}

}  // namespace mercer::test::scatter_test
