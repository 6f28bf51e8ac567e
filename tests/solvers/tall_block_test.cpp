// Tall blocks on teams of threads: the same bits for any number of ranks and threads.
#include "solvers/tall_block.hpp"

#include "solvers/krylov.hpp"
#include "support/errors.hpp"
#include "support/operators.hpp"
#include "support/random.hpp"
#include "support/thread_team.hpp"

#include <mercer/error.hpp>

#include <gtest/gtest.h>

namespace mercer::tall_block_test {

using test::Random;
using test::with_team;

bool same(const Matrix<double>& a, const Matrix<double>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && (a.array() == b.array()).all();
}

constexpr int team_sizes[] = {1, 2, 3, 4, 5, 7, 8};

Matrix<double> rows_of(const TallBlocks& tall, const Matrix<double>& all) {
  return all.middleRows(tall.first_row(), tall.rows());
}

TEST(TallBlocks, products_sums_and_random_numbers_are_those_of_all_rows) {
  const Index n = 1900;
  const Matrix<double> a = Random(1).normal(n, 70), b = Random(2).normal(n, 20);
  const Matrix<double> t = Random(3).normal(70, 40), wide = Random(4).normal(n, 45);
  const TallBlocks alone(n);
  const Matrix<double> inner = alone.inner(a, b);
  // Against Eigen, whose sums have another order.
  EXPECT_LE((inner - a.transpose() * b).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LE((alone.inner(a, wide) - a.transpose() * wide).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LE((alone.norms(a) - a.colwise().norm().transpose()).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_EQ(alone.largest(a), a.cwiseAbs().colwise().maxCoeff().transpose());
  Matrix<double> uniform(n, 9), normal(n, 7), product(n, 40), sum = wide.leftCols(40);
  RowRandom random{7};
  uniform.setZero();
  alone.fill_random(uniform, 2, random);
  alone.fill_normal(normal, random);
  EXPECT_EQ(random.draw, 2U);
  EXPECT_EQ(uniform.leftCols(2).cwiseAbs().maxCoeff(), 0);
  EXPECT_NEAR(uniform.col(5).norm(), 1, 0.05);
  EXPECT_NEAR(uniform.col(2).dot(uniform.col(3)), 0, 0.1);
  EXPECT_NEAR(normal.squaredNorm() / static_cast<double>(normal.size()), 1, 0.05);
  EXPECT_NEAR(normal.col(0).dot(normal.col(1)) / static_cast<double>(n), 0, 0.1);
  alone.times(a, t, product);
  alone.times(a, t, sum, true);
  EXPECT_LE((product - a * t).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LE((sum - wide.leftCols(40) - a * t).cwiseAbs().maxCoeff(), 1e-11);
  Matrix<double> rotated = a;
  alone.rotate(rotated, t);
  EXPECT_LE((rotated.leftCols(40) - a * t).cwiseAbs().maxCoeff(), 1e-11);
  const Matrix<double> combined = alone.combined(t.transpose(), a);
  EXPECT_LE((combined.transpose() - a * t).cwiseAbs().maxCoeff(), 1e-11);
  const Matrix<double> squares = alone.inner_of(
      5, [&](Index first, TallOut rows) { rows = b.block(first, 0, rows.rows(), 5); });
  EXPECT_LE((squares - b.leftCols(5).transpose() * b.leftCols(5)).cwiseAbs().maxCoeff(), 1e-10);

  for (const int ranks : team_sizes)
    for (const int threads : {1, 2})
      with_team(ranks, [&](Team& team) {
        const TallBlocks tall(n, team, threads);
        const Matrix<double> mine = rows_of(tall, a), other = rows_of(tall, b);
        EXPECT_TRUE(same(tall.inner(mine, other), inner)) << ranks << ' ' << threads;
        EXPECT_TRUE(same(tall.norms(mine), alone.norms(a))) << ranks << ' ' << threads;
        EXPECT_TRUE(same(tall.largest(mine), alone.largest(a))) << ranks << ' ' << threads;
        Matrix<double> u(tall.rows(), 9), z(tall.rows(), 7), p(tall.rows(), 40);
        RowRandom own{7};
        u.setZero();
        tall.fill_random(u, 2, own);
        tall.fill_normal(z, own);
        EXPECT_TRUE(same(u, rows_of(tall, uniform))) << ranks << ' ' << threads;
        EXPECT_TRUE(same(z, rows_of(tall, normal))) << ranks << ' ' << threads;
        tall.times(mine, t, p);
        EXPECT_TRUE(same(p, rows_of(tall, product))) << ranks << ' ' << threads;
        EXPECT_TRUE(same(tall.gather(tall.combined(t.transpose(), mine)), combined))
            << ranks << ' ' << threads;
      });
}

/// A dense matrix of which every rank multiplies its rows.
struct RowsOfDense {
  const Matrix<double>& a;
  TallBlocks tall;
  Index size() const { return a.rows(); }
  void apply(const Matrix<double>& v, Matrix<double>& out) const {
    const BlasThreads one(1);  // whose bits would depend on their number
    const Matrix<double> all = tall.gather(v.transpose()).transpose();
    for (Index i = 0; i < tall.rows(); i += RowSegments::least) {
      const Index count = std::min(RowSegments::least, tall.rows() - i);
      out.middleRows(i, count) = test::product(a.middleRows(tall.first_row() + i, count), all);
    }
  }
};

struct Found {
  KrylovResult krylov;
  Matrix<double> vectors;
};

Found on_team(const Matrix<double>& a, Team& team, int threads, const Matrix<double>& start) {
  const TallBlocks tall(a.rows(), team, threads);
  RowsOfDense mine{a, tall};
  const Matrix<double> own = rows_of(tall, start);
  const Completeness complete{.lower_end = true};
  const KrylovRun run{.threads = threads, .start = &own, .team = &team, .complete = &complete};
  Found found{krylov_pairs(mine, 9, {.block = 8}, run), {}};
  EXPECT_EQ(found.krylov.pairs.vectors.cols(), tall.rows());
  found.vectors = tall.gather(found.krylov.pairs.vectors);
  return found;
}

TEST(TallBlocks, M_P4_krylov_finds_the_same_bits_on_any_ranks_and_threads) {
  const Index n = 1100;
  const Matrix<double> x = Random(5).normal(n, 90);
  Vector<double> scales(90);
  for (Index i = 0; i < 90; ++i) scales[i] = std::pow(0.97, static_cast<double>(i));
  const Matrix<double> scaled = x * scales.asDiagonal();
  const Matrix<double> a = test::product(scaled, scaled.transpose());
  const Matrix<double> start = Random(6).normal(n, 5);
  const Found plain = on_team(a, Team::alone(), 1, start);
  const Vector<double> expected = symmetric_eigen(a, 9).values;
  EXPECT_LE((plain.krylov.pairs.values - expected).cwiseAbs().maxCoeff(), 1e-10 * expected[0]);
  for (const int ranks : team_sizes)
    for (const int threads : {1, 2})
      with_team(ranks, [&](Team& team) {
        const Found found = on_team(a, team, threads, start);
        const KrylovResult &one = plain.krylov, &many = found.krylov;
        EXPECT_TRUE(same(many.pairs.values, one.pairs.values)) << ranks << ' ' << threads;
        EXPECT_TRUE(same(many.pairs.residuals, one.pairs.residuals)) << ranks << ' ' << threads;
        EXPECT_TRUE(same(found.vectors, plain.vectors)) << ranks << ' ' << threads;
        EXPECT_EQ(many.passes, one.passes) << ranks;
        EXPECT_EQ(many.ceiling, one.ceiling) << ranks;
        EXPECT_EQ(many.confidence, one.confidence) << ranks;
        EXPECT_EQ(many.smallest, one.smallest) << ranks;
      });
}

TEST(TallBlocks, an_error_on_one_rank_ends_the_run_on_all) {
  const Matrix<double> x = Random(8).normal(1100, 40);
  const Matrix<double> a = test::product(x, x.transpose());
  with_team(3, [&](Team& team) {
    RowsOfDense mine{a, TallBlocks(a.rows(), team)};
    const auto stop = [&](int pass, double) {
      if (pass == 2 && team.rank() == 1) throw Error(Errc::interrupted, "interrupted");
    };
    test::refusal([&] { krylov_pairs(mine, 5, {}, {.team = &team, .monitor = stop}); },
                  Errc::interrupted);
    const Matrix<double> start =
        Matrix<double>::Ones(mine.tall.rows() + (team.rank() == 2 ? 1 : 0), 3);
    test::refusal([&] { krylov_pairs(mine, 5, {}, {.start = &start, .team = &team}); },
                  Errc::bad_option);
  });
}

}  // namespace mercer::tall_block_test
