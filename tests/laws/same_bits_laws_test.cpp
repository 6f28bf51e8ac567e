// One set of rows has one model, down to the last bit: for any number of threads, from memory and
// from streams in any blocks, and with rows of weight 0 or without them.
#include <mercer/mercer.hpp>

#include "support/chunked_source.hpp"
#include "support/random.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

namespace mercer::test::same_bits_laws_test {

const std::vector<int> all_threads = {1, 2, 3, 5, 8, 16};

void expect_same_bits(const Model<double>& a, const Model<double>& b) {
  ASSERT_EQ(a.outputs(), b.outputs());
  EXPECT_EQ(a.eigenvalues(), b.eigenvalues());
  EXPECT_EQ(a.components(), b.components());
  EXPECT_EQ(a.mean(), b.mean());
  EXPECT_EQ(a.scale(), b.scale());
  EXPECT_EQ(a.report().total_variance, b.report().total_variance);
  EXPECT_EQ(a.report().weight, b.report().weight);
}

/// Rows with variances that fall, about a mean.
Matrix<double> falling(Index n, Index d) {
  Random random(61);
  Matrix<double> x = random.normal(n, d);
  for (Index j = 0; j < d; ++j) x.col(j) *= std::pow(0.93, static_cast<double>(j % 60));
  x.array() += 7;
  return x;
}

TEST(SameBitsLaw, M_P4_threads_change_no_solver) {
  struct Case {
    Solver solver;
    Index rows, cols;
  };
  // Wide and tall, small and of an order at which eigenvectors are shared out.
  for (const Case& c : std::vector<Case>{{Solver::covariance, 20000, 12},
                                         {Solver::covariance, 700, 520},
                                         {Solver::svd, 6000, 30},
                                         {Solver::svd, 60, 400},
                                         {Solver::gram, 60, 5000},
                                         {Solver::gram, 300, 4200},
                                         {Solver::randomized, 4000, 150},
                                         {Solver::randomized, 200, 1000}})
    for (const Scale scale : {Scale::none, Scale::std}) {
      if (c.cols > 500 && scale == Scale::std) continue;  // slow, and nothing new
      const Matrix<double> x = falling(c.rows, c.cols);
      FitOptions options{.components = 6, .solver = c.solver, .scale = scale, .threads = 1};
      const auto reference = fit(x, options);
      for (const int threads : all_threads) {
        options.threads = threads;
        SCOPED_TRACE(fmt::format("{} {}×{} {} threads", reference.report().solver.name, c.rows,
                                 c.cols, threads));
        expect_same_bits(fit(x, options), reference);
      }
    }
}

TEST(SameBitsLaw, M_P4_all_pairs_of_a_large_matrix_do_not_depend_on_threads) {
  const Matrix<double> x = falling(540, 515);
  const auto reference = fit(x, {.solver = Solver::covariance, .threads = 1});
  for (const int threads : {2, 3, 8})
    expect_same_bits(fit(x, {.solver = Solver::covariance, .threads = threads}), reference);
}

TEST(SameBitsLaw, M_P4_memory_and_streams_in_any_blocks_have_one_model) {
  const Matrix<double> x = falling(30000, 20);  // 4.8 MB
  Vector<double> w(30000);
  for (Index i = 0; i < w.size(); ++i) w[i] = 0.1 * static_cast<double>(i % 5);
  for (const Solver solver : {Solver::covariance, Solver::svd})
    for (const Weights& weights : {Weights(), Weights(w)})
      for (const Scale scale : {Scale::none, Scale::std}) {
        FitOptions options{.components = 5, .solver = solver, .scale = scale, .threads = 2};
        const auto reference = fit(Rows<double>(x), options, weights);
        options.memory = 3 << 20;
        for (const Index chunk : {30000, 4096, 997}) {
          ChunkedSource<double> source(Rows<double>(x), chunk, weights);
          SCOPED_TRACE(fmt::format("{} in {} rows", reference.report().solver.name, chunk));
          expect_same_bits(fit(source, options), reference);
        }
      }
  // How many vectors a pass takes depends on whether rows are streamed; not on the blocks.
  FitOptions options{
      .components = 5, .solver = Solver::randomized, .memory = 3 << 20, .threads = 2};
  ChunkedSource<double> first(Rows<double>(x), 30000);
  const auto reference = fit(first, options);
  for (const Index chunk : {4096, 997}) {
    ChunkedSource<double> source(Rows<double>(x), chunk);
    expect_same_bits(fit(source, options), reference);
  }
}

TEST(SameBitsLaw, M_P4_rows_of_weight_0_are_as_good_as_absent) {
  Matrix<double> x = falling(3000, 9);
  Vector<double> w(3000);
  Matrix<double> kept(3000, 9);
  Vector<double> kept_weights(3000);
  Index count = 0;
  for (Index i = 0; i < 3000; ++i) {
    w[i] = i % 4 == 0 ? 0.0 : 1 + static_cast<double>(i % 3);
    if (w[i] == 0) {
      x.row(i).setConstant(1e9);
      continue;
    }
    kept.row(count) = x.row(i);
    kept_weights[count++] = w[i];
  }
  for (const Solver solver : {Solver::covariance, Solver::svd, Solver::randomized}) {
    const FitOptions options{.components = 3, .solver = solver};
    expect_same_bits(fit(Rows<double>(x), options, w),
                     fit(Rows<double>(kept).middle(0, count), options, kept_weights.head(count)));
  }
  const Matrix<double> axes = Matrix<double>::Identity(2, 9);
  const auto with = from_memory<double>(Rows<double>(x), w);
  const auto without =
      from_memory<double>(Rows<double>(kept).middle(0, count), kept_weights.head(count));
  EXPECT_LT((variance_along(*with, axes) - variance_along(*without, axes)).norm(), 1e-13);
}

TEST(SameBitsLaw, M_P4_a_row_has_the_same_scores_whatever_comes_with_it) {
  for (const Index k : {3, 30}) {
    const Matrix<double> x = falling(2500, 60);
    const auto model = fit(x, {.components = k});
    const Matrix<double> reference = model.transform(x, {.threads = 1});
    for (const int threads : all_threads)
      EXPECT_EQ(model.transform(x, {.threads = threads}), reference);
    for (const Index block : {1, 7, 100, 1111})
      for (Index i = 0; i < 2500; i += block) {
        const Index n = std::min<Index>(block, 2500 - i);
        EXPECT_EQ(model.transform(x.middleRows(i, n)), reference.middleRows(i, n)) << block;
        if (block == 1 && i > 300) break;
      }
  }
}

}  // namespace mercer::test::same_bits_laws_test
