// Batches against all rows at once.
#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>
#include <Eigen/SparseCore>

#include <limits>

namespace mercer::test::incremental_test {

Matrix<double> rows(Index n, Index d, double mean) {
  Random random(31);
  Matrix<double> x = random.normal(n, d) * random.normal(d, d);
  x.array() += mean;
  return x;
}

void expect_same(const Model<double>& a, const Model<double>& b, double tolerance) {
  ASSERT_EQ(a.outputs(), b.outputs());
  EXPECT_LT((a.eigenvalues() - b.eigenvalues()).cwiseAbs().maxCoeff(),
            tolerance * b.eigenvalues()[0]);
  EXPECT_LT((a.components() - b.components()).cwiseAbs().maxCoeff(), 1e4 * tolerance);
  EXPECT_LT((a.mean() - b.mean()).norm(), tolerance * (1 + b.mean().norm()));
  EXPECT_EQ(a.report().n_samples, b.report().n_samples);
  EXPECT_NEAR(a.report().total_variance, b.report().total_variance,
              tolerance * b.report().total_variance);
}

TEST(Incremental, has_the_model_of_all_rows_so_far_at_any_time) {
  const Matrix<double> x = rows(1000, 8, 100);
  for (const Scale scale : {Scale::none, Scale::std})
    for (const bool center : {true, false}) {
      const FitOptions options{.components = 4, .center = center, .scale = scale};
      IncrementalPca<double> pca(8, options);
      for (Index i = 0; i < 1000; i += 130) {
        const Index n = std::min<Index>(130, 1000 - i);
        pca.update(x.middleRows(i, n));
        expect_same(pca.model(), fit(x.topRows(i + n), options), 1e-11);
      }
    }
}

TEST(Incremental, parts_of_a_stream_merge_with_weights_and_sparse_rows) {
  const Matrix<double> x = rows(400, 6, 0).unaryExpr([](double v) { return v > 0 ? v : 0.0; });
  const Csr<double> sparse =
      Csr<double>::from(Eigen::SparseMatrix<double, Eigen::RowMajor>(x.sparseView()));
  Vector<double> w(400);
  for (Index i = 0; i < 400; ++i) w[i] = 1 + static_cast<double>(i % 3);
  IncrementalPca<double> a(6), b(6);
  a.update(Rows<double>(x).middle(0, 150), w.data());
  b.update(Rows<double>(sparse).middle(150, 250), w.data() + 150);
  a.merge(b);
  expect_same(a.model(), fit(Rows<double>(x), {}, w.data()), 1e-12);
  EXPECT_TRUE(a.model().report().weighted);
}

TEST(Incremental, a_batch_that_is_refused_leaves_no_trace) {
  const Matrix<double> x = rows(50, 4, 1);
  IncrementalPca<double> pca(4);
  expect_error(Errc::bad_data, {"no rows"}, [&] { pca.model(); });
  pca.update(x);
  const Vector<double> before = pca.model().eigenvalues();
  Matrix<double> wrong = x;
  wrong(7, 2) = std::numeric_limits<double>::quiet_NaN();
  expect_error(Errc::bad_data, {"row 8 of the batch (58 of all), column 3"},
               [&] { pca.update(wrong); });
  expect_error(Errc::bad_data, {"5 columns, not 4"}, [&] { pca.update(rows(3, 5, 0)); });
  const double negative[] = {1, -1};
  expect_error(Errc::bad_data, {"row 2"},
               [&] { pca.update(Rows<double>(x).middle(0, 2), negative); });
  EXPECT_EQ(pca.model().eigenvalues(), before);
  EXPECT_EQ(pca.moments().rows(), 50);
}

TEST(Incremental, goes_on_from_its_state_bit_for_bit) {
  const Matrix<double> x = rows(300, 6, 40);
  const Vector<double> weights = Vector<double>::Constant(100, 2.0);
  IncrementalPca<double> pca(6, {.components = 3}), later(6, {.components = 3});
  pca.update(Rows<double>(x).middle(0, 100), weights.data());
  later.restore(pca.state());
  for (auto* p : {&pca, &later}) p->update(Rows<double>(x).middle(100, 200));
  EXPECT_EQ(later.model().components(), pca.model().components());
  EXPECT_TRUE(later.model().report().weighted);
  expect_error(Errc::bad_data, {"empty"}, [&] { later.restore({}); });
  expect_error(Errc::bad_data, {"6 columns"}, [&] { later.restore({1, 2, 3}); });
}

TEST(Incremental, directions_without_variance_are_no_components) {
  const Matrix<double> x = rows(300, 2, 0) * Random(5).normal(2, 6);
  IncrementalPca<double> pca(6);
  pca.update(x);
  EXPECT_EQ(pca.model().outputs(), 2);
}

TEST(Incremental, refuses_options_that_need_the_rows_again) {
  expect_error(Errc::bad_option, {"no other solver"},
               [] { IncrementalPca<double>(3, {.solver = Solver::svd}); });
  expect_error(Errc::bad_option, {"missing cells"},
               [] { IncrementalPca<double>(3, {.missing = Missing::mean}); });
  expect_error(Errc::bad_option, {"0 columns"}, [] { IncrementalPca<double>(0); });
}

}  // namespace mercer::test::incremental_test
