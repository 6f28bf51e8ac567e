// The randomized solver against the covariance matrix, which takes another road.
#include "support/chunked_source.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"
#include "support/temp_dir.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>
#include <Eigen/SparseCore>

#include <cmath>
#include <limits>

namespace mercer::test::randomized_test {

Matrix<double> falling(Index n, Index d, unsigned seed) {
  Matrix<double> x = Random(seed).normal(n, d);
  for (Index j = 0; j < d; ++j) x.col(j) = (x.col(j) / static_cast<double>(j + 1)).array() + 3.0;
  return x;
}

/// Both models of the same rows: values, axes (signs included), mean, total.
template <class T>
void expect_same(const Model<T>& a, const Model<T>& b, double tolerance) {
  ASSERT_EQ(a.outputs(), b.outputs());
  const double first = b.eigenvalues()[0];
  EXPECT_LT((a.eigenvalues() - b.eigenvalues()).cwiseAbs().maxCoeff(), tolerance * first);
  EXPECT_LT((a.components() - b.components()).cwiseAbs().maxCoeff(), 1e4 * tolerance);
  EXPECT_LT((a.mean() - b.mean()).cwiseAbs().maxCoeff(), 10 * tolerance);
  EXPECT_NEAR(a.report().total_variance, b.report().total_variance,
              tolerance * b.report().total_variance);
}

TEST(Randomized, gives_the_model_of_the_covariance_matrix) {
  const Matrix<double> x = falling(800, 60, 1);
  FitOptions options{.components = 5, .solver = Solver::randomized};
  for (const Scale scale : {Scale::none, Scale::std})
    for (const bool center : {true, false}) {
      options.scale = scale;
      options.center = center;
      FitOptions exact = options;
      exact.solver = Solver::covariance;
      const auto model = fit(x, options);
      expect_same(model, fit(x, exact), 1e-9);
      EXPECT_EQ(model.report().solver.name, "randomized");
      for (const double r : model.report().solver.residuals) EXPECT_LE(r, 1e-10);
    }
}

TEST(Randomized, takes_weights_holes_sparse_rows_floats_and_fractions) {
  Matrix<double> x = falling(500, 40, 2);
  Vector<double> w(500);
  for (Index i = 0; i < 500; ++i) w[i] = static_cast<double>(i % 3);
  const FitOptions options{.components = 4, .solver = Solver::randomized};
  const FitOptions exact{.components = 4, .solver = Solver::covariance};
  const Rows<double> rows(x);
  expect_same(fit(rows, options, w), fit(rows, exact, w), 1e-9);

  const Matrix<float> coarse = x.cast<float>();
  expect_same(fit(coarse, options), fit(coarse, exact), 1e-6);

  const Matrix<double> holes = x.unaryExpr([](double v) { return v > 5 ? 0.0 : v; });
  const Csr<double> sparse =
      Csr<double>::from(Eigen::SparseMatrix<double, Eigen::RowMajor>(holes.sparseView()));
  expect_same(fit(Rows<double>(sparse), options), fit(Rows<double>(sparse), exact), 1e-9);

  x(3, 1) = x(77, 20) = std::numeric_limits<double>::quiet_NaN();
  FitOptions fill = options, fill_exact = exact;
  fill.missing = fill_exact.missing = Missing::mean;
  expect_same(fit(x, fill), fit(x, fill_exact), 1e-9);

  const Matrix<double> y = falling(300, 30, 3);
  const FitOptions most{.components = variance_fraction(0.9), .solver = Solver::randomized};
  FitOptions most_exact = most;
  most_exact.solver = Solver::covariance;
  expect_same(fit(y, most), fit(y, most_exact), 1e-9);
}

TEST(Randomized, goes_over_a_stream_as_often_as_it_says) {
  const Matrix<double> x = falling(3000, 50, 4);
  ChunkedSource<double> source(x, 128);
  const FitOptions options{
      .components = 3, .solver = Solver::randomized, .tolerance = 1e-8, .memory = 1500000};
  const auto model = fit(source, options);
  expect_same(model, fit(x, {.components = 3, .solver = Solver::covariance}), 1e-7);
  EXPECT_GE(model.report().solver.passes, 2);
  EXPECT_EQ(model.report().solver.passes, source.rewinds + 1);
}

/// Rows in a file, larger than the budget: in few passes, and the model says how many.
template <class T>
void expect_out_of_core(const std::string& path, const Matrix<double>& x, double tolerance) {
  ReadOptions reading;
  reading.block_bytes = 1 << 16;
  const auto source = open<T>(path, reading);
  FitOptions options{.components = 3, .solver = Solver::randomized, .tolerance = 1e-6};
  options.memory = 800000;
  options.threads = 2;  // each takes some of it
  const auto model = fit(*source, options);
  const Matrix<T> rounded = x.cast<T>();
  expect_same(model, fit(rounded, {.components = 3, .solver = Solver::covariance}), tolerance);
  EXPECT_LE(model.report().solver.passes, 5) << path;
  for (const double r : model.report().solver.residuals) EXPECT_LE(r, 1e-6);
}

TEST(Randomized, reads_files_larger_than_the_budget_in_few_passes) {
  const TempDir dir;
  const Matrix<double> x = falling(4000, 50, 7);
  for (const char* name : {"x.npy", "x.csv"}) {
    const std::string path = dir / name;
    Sink<double> sink(path, std::vector<std::string>(50, "c"));
    sink.write(x);
    sink.close();
    // A residual of 1e-6 moves an eigenvalue by its square; axes by 1e-6 over the gap.
    expect_out_of_core<double>(path, x, 1e-8);
    expect_out_of_core<float>(path, x, 1e-6);
  }
}

TEST(Randomized, sparse_rows_of_many_columns_are_centred_without_being_made_dense) {
  // As dense rows these would take 1.5 GiB.
  Random random(8);
  const Index n = 4000, d = 50000;
  Csr<float> rows;
  rows.cols = d;
  Matrix<double> head = Matrix<double>::Zero(n, 30);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < 30; ++j)
      if (random.uniform() < 0.3) {
        head(i, j) = static_cast<float>((1 + random.normal()) / static_cast<double>(j + 1));
        rows.columns.push_back(static_cast<std::int32_t>(1000 * j));
        rows.values.push_back(static_cast<float>(head(i, j)));
      }
    rows.offsets.push_back(std::ssize(rows.values));
  }
  const auto model = fit(Rows<float>(rows), {.components = 4, .solver = Solver::randomized});
  const auto truth = fit(head, {.components = 4, .solver = Solver::covariance});
  EXPECT_LT((model.eigenvalues() - truth.eigenvalues()).norm(), 1e-9 * truth.eigenvalues()[0]);
  EXPECT_LT(model.report().peak_memory_bytes, std::int64_t{1} << 30);
}

TEST(Randomized, refuses_what_it_cannot_find) {
  const Matrix<double> x = falling(100, 10, 5);
  expect_error(Errc::bad_option, {"`components`"}, [&] { fit(x, {.solver = Solver::randomized}); });
  expect_error(Errc::bad_option, {"`components=11`", "10 columns"},
               [&] { fit(x, {.components = 11, .solver = Solver::randomized}); });
  const Matrix<double> flat = x.leftCols(2) * Random(6).normal(2, 10);
  expect_error(Errc::bad_option, {"`components=5`", "2 directions"},
               [&] { fit(flat, {.components = 5, .solver = Solver::randomized}); });
  Matrix<double> wrong = x;
  wrong(4, 7) = std::numeric_limits<double>::infinity();
  expect_error(Errc::bad_data, {"row 5, column 8"},
               [&] { fit(wrong, {.components = 2, .solver = Solver::randomized}); });
  expect_error(Errc::bad_data, {"equal"}, [&] {
    fit(Matrix<double>(Matrix<double>::Ones(20, 10)),
        {.components = 2, .solver = Solver::randomized});
  });
}

}  // namespace mercer::test::randomized_test
