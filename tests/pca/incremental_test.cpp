// Batches against all rows at once.
#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>
#include <Eigen/SVD>
#include <Eigen/SparseCore>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

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
  a.update(Rows<double>(x).middle(0, 150), Weights(w).first(150));
  b.update(Rows<double>(sparse).middle(150, 250), Weights(w).subspan(150, 250));
  a.merge(b);
  expect_same(a.model(), fit(Rows<double>(x), {}, w), 1e-12);
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
  pca.update(Rows<double>(x).middle(0, 100), Weights(weights).first(100));
  later.load_state(pca.save_state());
  for (auto* p : {&pca, &later}) p->update(Rows<double>(x).middle(100, 200));
  EXPECT_EQ(later.model().components(), pca.model().components());
  EXPECT_TRUE(later.model().report().weighted);
  expect_error(Errc::bad_data, {"empty"}, [&] { later.load_state({}); });
  expect_error(Errc::bad_data, {"6 columns"}, [&] { later.load_state({1, 2, 3}); });
}

TEST(Incremental, directions_without_variance_are_no_components) {
  const Matrix<double> x = rows(300, 2, 0) * Random(5).normal(2, 6);
  IncrementalPca<double> pca(6);
  pca.update(x);
  EXPECT_EQ(pca.model().outputs(), 2);
}

/// Eigenvalues of the scatter matrix from the singular values of the centred rows, by Jacobi in
/// long double.
Vector<double> eigenvalues_of(const Matrix<double>& x) {
  using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  Long z = x.cast<long double>();
  const Long first = z.row(0), mean = (z.rowwise() - first.row(0)).colwise().mean() + first.row(0);
  z.rowwise() -= mean.row(0);
  const Eigen::JacobiSVD<Long> svd(z);
  return svd.singularValues().array().square().matrix().cast<double>();
}

void expect_truth(const Matrix<double>& x, Index batch, double tolerance, bool sparse = false) {
  const Vector<double> truth = eigenvalues_of(x);
  IncrementalPca<double> pca(x.cols());
  const Csr<double> csr =
      Csr<double>::from(Eigen::SparseMatrix<double, Eigen::RowMajor>(x.sparseView()));
  const Rows<double> all = sparse ? Rows<double>(csr) : Rows<double>(x);
  for (Index i = 0; i < x.rows(); i += batch)
    pca.update(all.middle(i, std::min(batch, x.rows() - i)));
  const Model<double> model = pca.model();
  ASSERT_EQ(model.outputs(), truth.size());
  const Certificate& c = model.report().certificate;
  ASSERT_EQ(c.low.size(), static_cast<std::size_t>(truth.size()));
  for (Index j = 0; j < truth.size(); ++j) {
    EXPECT_NEAR(model.eigenvalues()[j], truth[j], tolerance * truth[j]) << "component " << j + 1;
    // The reference itself has 64 bits.
    EXPECT_LE(c.low[static_cast<std::size_t>(j)], truth[j] * (1 + 1e-12));
    EXPECT_GE(c.high[static_cast<std::size_t>(j)], truth[j] * (1 - 1e-12));
  }
}

TEST(Incremental, M_P1_small_columns_beside_large_ones_keep_their_variance) {
  Matrix<double> x = Random(41).normal(5000, 4);
  const double scales[] = {1e5, 10, 1e-2, 1e-4};
  for (Index j = 0; j < 4; ++j) x.col(j) *= scales[j];
  expect_truth(x, 100, 1e-9);
  expect_truth(x, 5000, 1e-9);
  x.array() += 1e4;  // the smallest column is rounded at 1e-12 of 1e-4
  expect_truth(x, 300, 1e-6);
}

TEST(Incremental, M_P1_a_mean_that_drifts_costs_the_other_directions_nothing) {
  Matrix<double> x = Random(42).normal(6000, 3);
  for (Index i = 0; i < x.rows(); ++i) x.row(i).array() += 2000.0 * static_cast<double>(i);
  expect_truth(x, 250, 1e-7);
}

TEST(Incremental, M_P1_sparse_batches_with_a_far_mean_are_answered_like_dense_ones) {
  for (const double mean : {1e5, 1e7, 1e9}) {
    Matrix<double> x = Random(45).normal(5000, 4);
    const double scales[] = {3, 2, 1, 0.5};
    for (Index j = 0; j < 4; ++j) x.col(j) *= scales[j];
    x.array() += mean;
    for (const Index n : {300, 5000}) {
      expect_truth(x.topRows(n), 100, 1e-9, true);
      expect_truth(x.topRows(n), 100, 1e-9);
    }
  }
}

/// Two leaves that need no factor, then others that do: a mean that drifts beside small columns.
Matrix<double> turning_rows() {
  Matrix<double> x = Random(43).normal(10000, 4);
  const double scales[] = {1e3, 10, 1e-1, 1e-3};
  for (Index j = 0; j < 4; ++j) x.col(j) *= scales[j];
  for (Index i = 8500; i < x.rows(); ++i) x.row(i).array() += static_cast<double>(i - 8500);
  return x;
}

TEST(Incremental, M_P1_small_variances_stay_when_a_stream_begins_to_drift) {
  expect_truth(turning_rows(), 1000, 1e-7);
}

TEST(Incremental, M_P4_a_stream_that_begins_to_drift_has_the_same_bits_for_any_batches) {
  const Matrix<double> x = turning_rows();
  std::vector<double> reference;
  for (const Index batch : {10000, 4096, 777})
    for (const int threads : {1, 2, 5}) {
      IncrementalPca<double> pca(4, {.threads = threads});
      for (Index i = 0; i < x.rows(); i += batch)
        pca.update(x.middleRows(i, std::min(batch, x.rows() - i)));
      if (reference.empty()) reference = pca.save_state();
      EXPECT_EQ(pca.save_state(), reference) << batch << " rows a batch, " << threads << " threads";
    }
}

TEST(Incremental, M_P1_many_leaves_that_need_no_factor_keep_small_columns_too) {
  Matrix<double> x = Random(44).normal(13000, 5);
  const double scales[] = {1e5, 10, 1e-2, 1e-4, 1};
  for (Index j = 0; j < 5; ++j) x.col(j) *= scales[j];
  x.col(4).setConstant(7);  // it has no variance at all
  IncrementalPca<double> pca(5), later(5);
  pca.update(x.topRows(9000));
  later.load_state(pca.save_state());
  for (auto* p : {&pca, &later}) p->update(x.bottomRows(4000));
  EXPECT_EQ(later.save_state(), pca.save_state());
  const Model<double> model = pca.model();
  const Vector<double> truth = eigenvalues_of(x);
  ASSERT_EQ(model.outputs(), 4);
  for (Index j = 0; j < 4; ++j)
    EXPECT_NEAR(model.eigenvalues()[j], truth[j], 1e-9 * truth[j]) << "component " << j + 1;
}

TEST(Incremental, M_P1_what_exceeds_the_tolerance_is_refused) {
  IncrementalPca<double> pca(6, {.tolerance = 1e-15});
  pca.update(rows(300, 6, 1000));
  expect_error(Errc::not_converged, {"tolerance"}, [&] { pca.model(); });
}

TEST(Incremental, M_P1_intervals_hold_the_eigenvalues_of_ordinary_rows_too) {
  for (const Index n : {20, 300, 5000}) {
    const Matrix<double> x = rows(n, 6, 1000);
    expect_truth(x, 77, 1e-9);
  }
}

TEST(Incremental, M_P4_the_model_has_the_same_bits_for_any_batches_and_threads) {
  Matrix<double> x = rows(5000, 5, 10);
  x.col(4) *= 1e-7;  // the triangular factor is asked too
  std::string reference;
  for (const Index batch : {5000, 1, 333})
    for (const int threads : {1, 2, 3, 5, 8, 16}) {
      if (batch == 1 && threads > 1) continue;
      IncrementalPca<double> pca(5, {.threads = threads});
      for (Index i = 0; i < 5000; i += batch)
        pca.update(x.middleRows(i, std::min<Index>(batch, 5000 - i)));
      ModelParts<double> parts = pca.model().parts();
      parts.report.seconds = 0;
      parts.report.peak_memory_bytes = 0;
      const std::string bytes = Model<double>(std::move(parts)).serialize();
      if (reference.empty()) reference = bytes;
      EXPECT_EQ(bytes, reference) << batch << " rows a batch, " << threads << " threads";
    }
}

TEST(Incremental, M_P1_rows_of_weight_0_are_as_good_as_absent) {
  Matrix<double> x = rows(400, 3, 0);
  Vector<double> w = Vector<double>::Ones(400);
  for (Index i = 0; i < 400; i += 3) {
    x.row(i).setConstant(1e9);
    w[i] = 0;
  }
  IncrementalPca<double> with(3), without(3);
  with.update(Rows<double>(x), w);
  for (Index i = 0; i < 400; ++i)
    if (w[i] != 0) without.update(x.middleRows(i, 1));
  EXPECT_EQ(with.model().eigenvalues(), without.model().eigenvalues());
  EXPECT_EQ(with.model().components(), without.model().components());
}

TEST(Incremental, a_state_with_a_full_tree_goes_on_bit_for_bit) {
  const Matrix<double> x = rows(7000, 3, 5);
  IncrementalPca<double> pca(3), later(3);
  pca.update(Rows<double>(x).middle(0, 3500));
  later.load_state(pca.save_state());
  const IncrementalPca<double> copy = pca;
  for (auto* p : {&pca, &later}) p->update(Rows<double>(x).middle(3500, 3500));
  EXPECT_EQ(later.save_state(), pca.save_state());
  EXPECT_EQ(copy.moments().rows(), 3500);
  std::vector<double> state = pca.save_state();
  state.erase(state.begin() + static_cast<std::ptrdiff_t>(state.size()) / 2);
  expect_error(Errc::bad_data, {"3 columns"}, [&] { later.load_state(state); });
}

TEST(Incremental, refuses_options_that_need_the_rows_again) {
  expect_error(Errc::bad_option, {"no solver but"},
               [] { IncrementalPca<double>(3, {.solver = Solver::svd}); });
  expect_error(Errc::bad_option, {"missing values"},
               [] { IncrementalPca<double>(3, {.missing = Missing::mean}); });
  expect_error(Errc::bad_option, {"0 columns"}, [] { IncrementalPca<double>(0); });
}

TEST(Incremental, rows_whose_squares_vanish_are_not_called_equal) {
  IncrementalPca<double> pca(1);
  pca.update(Matrix<double>{{0.0}, {1e-202}});  // the square is 1e-404, and no double
  expect_error(Errc::bad_data, {"squares that underflow", "multiply"}, [&] { pca.model(); });
}

TEST(Incremental,
     M_P1_rows_whose_squares_lose_digits_are_refused_and_larger_ones_have_intervals_that_hold) {
  const Matrix<double> base = Random(46).normal(50, 4);
  const Vector<double> truth = eigenvalues_of(base);
  for (const Scale scale : {Scale::none, Scale::std})
    for (const int e : {-120, -250, -300, -420, -520, -525, -530, 505}) {
      const Matrix<double> x =
          base.unaryExpr([&](double v) { return std::ldexp(v, e); });  // the squares by 2^2e
      IncrementalPca<double> pca(4, {.scale = scale});
      for (Index i = 0; i < 50; i += 10) pca.update(x.middleRows(i, 10));
      if (e < -500) {
        expect_error(Errc::bad_data, {"the stream", "too small to square", "multiply all numbers"},
                     [&] { pca.model(); });
        continue;
      }
      const Model<double> model = pca.model();
      const int back = scale == Scale::none ? -2 * e : 0;
      const Model<double> plain = fit(base, {.scale = scale});  // of rows of ordinary size
      const Certificate &c = model.report().certificate, &p = plain.report().certificate;
      for (Index j = 0; j < 4; ++j) {
        const auto at = static_cast<std::size_t>(j);
        const auto shown = [&](double v) { return std::ldexp(std::ldexp(v, back / 2), back / 2); };
        // Both intervals hold the same number.
        EXPECT_LE(shown(c.low[at]), p.high[at]) << e;
        EXPECT_GE(shown(c.high[at]), p.low[at]) << e;
        EXPECT_NEAR(shown(model.eigenvalues()[j]), plain.eigenvalues()[j], 1e-13 * truth[0]) << e;
        // Rounding of eigenpairs counts at any size: (8d + 16)u of the first at least.
        EXPECT_GE(shown(c.high[at] - c.low[at]), 1e-15 * plain.eigenvalues()[0]) << e;
      }
    }
}

TEST(Incremental, M_P1_z_scores_of_a_column_whose_squares_vanish_are_refused) {
  for (const auto& [size, n] :
       {std::pair{1e-155, 40}, {1e-158, 40}, {1e-170, 40}, {1e-158, 5000}}) {
    Matrix<double> y = Random(47).normal(n, 3);
    y.col(1) *= size;
    IncrementalPca<double> scaled(3, {.scale = Scale::std}), plain(3);
    scaled.update(y);
    plain.update(y);
    expect_error(Errc::bad_data, {"column 2", "too small to square"}, [&] { scaled.model(); });
    const Model<double> model = plain.model();  // beside the others it has no variance
    const Vector<double> truth = eigenvalues_of(y);
    ASSERT_EQ(model.outputs(), 2);
    for (Index j = 0; j < 2; ++j) EXPECT_NEAR(model.eigenvalues()[j], truth[j], 1e-12 * truth[0]);
  }
}

TEST(Incremental, squares_of_residuals_need_not_fit_a_double) {
  const double a = 1e87;
  IncrementalPca<double> pca(3, {.components = 1});
  pca.update(Matrix<double>{{0, a, 0}, {a, 0, a}});
  // Two rows: half the square of their distance.
  EXPECT_NEAR(pca.model().eigenvalues()[0] / (a * a), 1.5, 1e-10);
}

}  // namespace mercer::test::incremental_test
