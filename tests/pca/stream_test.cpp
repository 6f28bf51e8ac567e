// Rows that do not fit the budget: the same answer, in one or two passes.
#include <mercer/mercer.hpp>

#include "support/chunked_source.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

namespace mercer::stream_test {

using test::ChunkedSource;
using test::Random;

/// Less than the rows take, so that they have to be streamed.
constexpr std::size_t small_budget = 3 << 20;

Matrix<double> many_rows(double mean) {
  Random random(21);
  Matrix<double> x = random.normal(30000, 20) * random.normal(20, 20);
  x.array() += mean;
  return x;
}

template <class T>
void expect_same(const Model<T>& a, const Model<T>& b) {
  EXPECT_LT((a.components() - b.components()).norm(), 1e-10);
  EXPECT_LT((a.mean() - b.mean()).norm(), 1e-12 * (1 + b.mean().norm()));
  const Vector<double> difference = a.eigenvalues() - b.eigenvalues();
  EXPECT_LT(difference.norm(), 1e-12 * b.eigenvalues()[0]);
  EXPECT_NEAR(a.report().total_variance, b.report().total_variance,
              1e-12 * b.report().total_variance);
  EXPECT_EQ(a.report().n_samples, b.report().n_samples);
}

TEST(Stream, a_stream_gives_the_model_of_the_rows_in_memory_in_one_pass) {
  const Matrix<double> x = many_rows(50);
  for (const Index chunk : {1000, 997, 30000}) {
    ChunkedSource<double> source(Rows<double>(x), chunk);
    const auto streamed = fit(source, {.components = 5, .memory = small_budget, .threads = 2});
    EXPECT_EQ(source.rewinds, 0);
    EXPECT_EQ(streamed.report().solver.passes, 1);
    EXPECT_EQ(streamed.report().solver.name, "covariance");
    expect_same(streamed, fit(x, {.components = 5}));
  }
}

TEST(Stream, small_variances_take_one_pass_more_and_are_found) {
  Random random(22);
  Vector<double> deviations(20);
  for (Index j = 0; j < 20; ++j) deviations[j] = std::pow(10, -0.5 * static_cast<double>(j));
  const Matrix<double> x = test::rows_with_deviations(random, 30000, deviations, 3);
  ChunkedSource<double> source(Rows<double>(x), 4096);
  const auto model = fit(source, {.memory = small_budget, .threads = 2});
  EXPECT_EQ(model.report().solver.passes, 2);
  ASSERT_EQ(model.outputs(), 20);
  for (Index j = 0; j < 20; ++j)
    // The rows hold numbers near 3, so a deviation is known to a few ε of that.
    EXPECT_NEAR(std::sqrt(model.explained_variance()[j]), deviations[j],
                1e-14 + 1e-10 * deviations[j])
        << j;
}

TEST(Stream, svd_scaling_weights_and_missing_cells_work_from_a_stream_too) {
  Matrix<double> x = many_rows(-4);
  Random random(23);
  std::vector<double> weights(30000);
  for (double& w : weights) w = random.uniform();
  for (const Solver solver : {Solver::covariance, Solver::svd}) {
    FitOptions options{.components = 4, .solver = solver, .scale = Scale::std};
    const auto reference = fit(Rows<double>(x), options, weights);
    ChunkedSource<double> source(Rows<double>(x), 5000, weights);
    options.memory = 8 << 20;
    options.threads = 2;
    expect_same(fit(source, options), reference);
  }
  x(17, 3) = x(29999, 0) = std::numeric_limits<double>::quiet_NaN();
  const auto reference = fit(x, {.components = 4, .missing = Missing::mean});
  ChunkedSource<double> source(Rows<double>(x), 5000);
  expect_same(
      fit(source,
          {.components = 4, .missing = Missing::mean, .memory = small_budget, .threads = 2}),
      reference);
}

TEST(Stream, rows_that_change_between_passes_are_noticed) {
  const Matrix<double> x = many_rows(0);
  ChunkedSource<double> source(Rows<double>(x), 5000);
  source.shrink_after_rewind = true;
  try {
    fit(source, {.solver = Solver::svd, .memory = 8 << 20, .threads = 2});
    FAIL() << "the change went unnoticed";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("changed while it was read"), std::string::npos);
  }
}

TEST(Stream, numbers_that_change_between_passes_are_noticed) {
  Matrix<double> x = many_rows(0);
  ChunkedSource<double> source(Rows<double>(x), 5000);
  source.on_rewind = [&] { x.array() += 1; };
  try {
    fit(source, {.solver = Solver::svd, .memory = 8 << 20, .threads = 2});
    FAIL() << "the change went unnoticed";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::bad_data);
    EXPECT_NE(std::string(e.what()).find("differ from those of the first pass"), std::string::npos);
  }
}

TEST(Stream, float_rows_stream_as_well) {
  const Matrix<float> x = many_rows(5).cast<float>();
  ChunkedSource<float> source(Rows<float>(x), 1234);
  const auto streamed = fit(source, {.components = 3, .memory = 2 << 20, .threads = 2});
  const auto reference = fit(x, {.components = 3});
  EXPECT_LT((streamed.components() - reference.components()).norm(), 1e-6);
  EXPECT_NEAR(streamed.eigenvalues()[0], reference.eigenvalues()[0],
              1e-12 * reference.eigenvalues()[0]);
}

TEST(Stream, the_gram_matrix_refuses_rows_that_do_not_fit) {
  const Matrix<double> x = many_rows(0);
  ChunkedSource<double> source(Rows<double>(x), 5000);
  EXPECT_THROW(fit(source, {.solver = Solver::gram, .memory = small_budget, .threads = 2}), Error);
}

TEST(Stream, the_variance_probe_reads_a_stream) {
  const Matrix<double> x = many_rows(1e6);
  ChunkedSource<double> source(Rows<double>(x), 777);
  const Matrix<double> q = Random(3).normal(3, 20);
  const Vector<double> streamed = variance_along(source, q);
  const Matrix<double> centred = x.rowwise() - x.colwise().mean();
  for (Index i = 0; i < 3; ++i) {
    const Vector<double> y = centred * q.row(i).transpose().normalized();
    EXPECT_NEAR(streamed[i], y.squaredNorm() / 29999, 1e-9 * streamed[i]);
  }
}

}  // namespace mercer::stream_test
