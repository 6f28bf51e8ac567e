// The kernel matrix on teams of threads: the same bits for any number of ranks and threads, and for
// kept and recomputed tiles.
#include "operators/kernel_matrix.hpp"

#include "core/team_traffic.hpp"
#include "support/random.hpp"
#include "support/thread_team.hpp"

#include <mercer/error.hpp>
#include <mercer/team_ledger.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>

namespace mercer::test::kernel_team_test {

constexpr std::size_t everything = std::size_t{1} << 40;
constexpr int team_sizes[] = {1, 2, 3, 4, 5, 7, 8};

bool same(const Matrix<double>& a, const Matrix<double>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && (a.array() == b.array()).all();
}

TEST(SegmentPairs, every_pair_is_met_once_and_ranks_have_equal_shares) {
  for (const Index count : {1, 5, 16, 64, 100})
    for (int ranks = 1; ranks <= 9; ++ranks) {
      std::map<std::pair<Index, Index>, int> met;
      Index most = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        std::vector<SegmentPair> pairs = pairs_within(segments_of(count, rank, ranks));
        for (int h = 1; 2 * h <= ranks; ++h) {
          const RingStep step = ring_step(count, rank, ranks, h);
          const auto more = pairs_between(step.own, step.other);
          EXPECT_EQ(std::ssize(more), step.own.size() * step.other.size());
          pairs.insert(pairs.end(), more.begin(), more.end());
        }
        for (const SegmentPair& pair : pairs) ++met[std::minmax(pair.own, pair.other)];
        most = std::max(most, std::ssize(pairs));
      }
      EXPECT_EQ(std::ssize(met), count * (count + 1) / 2) << count << " on " << ranks;
      for (const auto& [pair, times] : met) EXPECT_EQ(times, 1);
      if (8 * ranks <= count)
        EXPECT_LE(static_cast<double>(most * ranks) / static_cast<double>(std::ssize(met)), 1.10)
            << count << " on " << ranks;
    }
}

TEST(SegmentSums, hold_about_two_sums_for_each_segment_in_the_order_of_the_pairs) {
  for (const Index count : {8, 20, 64, 100, 256}) {
    SegmentSums sums({0, count}, count);
    for (const auto& [i, j] : pairs_within({0, count})) {
      const double one = 1;
      sums.add(i, {0, j}, &one, 1);
      if (i != j) sums.add(j, {0, i}, &one, 1);
    }
    for (Index s = 0; s < count; ++s) {
      ASSERT_EQ(sums.of(s).size(), 1U);
      EXPECT_EQ(sums.of(s).begin()->second[0], static_cast<double>(count));
    }
    EXPECT_LE(sums.peak(), 2 * count) << count;
  }
}

struct Case {
  bool center = true, weighted = false, rounded = false;
};

struct Products {
  Matrix<double> first, second;
  Vector<double> mean;
  double trace = 0, squares = 0;
};

template <class T>
class KernelTeamOf : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(KernelTeamOf, Precisions);

TYPED_TEST(KernelTeamOf, M_P4_has_the_same_bits_on_any_ranks_and_threads_whatever_is_kept) {
  using T = TypeParam;
  Random random(11);
  const Index n = 2100, width = 9;  // nine segments, the last one cut
  const Matrix<T> rows = random.normal(n, 4).cast<T>();
  const Matrix<double> v = random.normal(n, width);
  Vector<double> w(n);
  for (Index i = 0; i < n; ++i) w[i] = 0.5 + static_cast<double>(i % 3);
  const Tiles<T> tiles = kernel_tiles(kernels::rbf({.gamma = 0.2}), Rows<T>(rows));
  for (const Case& c : {Case{}, Case{.weighted = true}, Case{.center = false, .rounded = true}}) {
    const auto products = [&](Team& team, int threads, std::size_t memory) {
      KernelMatrix<T> k(tiles, {.center = c.center,
                                .weights = c.weighted ? w.data() : nullptr,
                                .memory = memory,
                                .rounded = c.rounded,
                                .threads = threads,
                                .team = &team});
      const SegmentRange mine =
          RowSegments(n).rows_of(segments_of(RowSegments(n).count(), team.rank(), team.size()));
      const Matrix<double> own = v.middleRows(mine.first, mine.size());
      Products out{own, own, {}};
      k.apply(own, out.first);
      k.apply(own, out.second);
      out.mean = k.mean();
      out.trace = k.trace();
      out.squares = k.squares();
      EXPECT_EQ(k.bad_minor().smallest, 0);
      return out;
    };
    const Products one = products(Team::alone(), 1, 0);
    for (const int ranks : team_sizes)
      for (const int threads : {1, 2}) {
        const std::size_t kept[] = {0, std::size_t{7} * 256 * 256 * 4, everything};
        with_team(ranks, [&](Team& team) {
          const Products mine = products(team, threads, kept[(ranks + threads) % 3]);
          const auto rows_of = segments_of(RowSegments(n).count(), team.rank(), team.size());
          const SegmentRange range = RowSegments(n).rows_of(rows_of);
          const auto expected = [&](const Matrix<double>& all) {
            return all.middleRows(range.first, range.size());
          };
          EXPECT_TRUE(same(mine.first, expected(one.first))) << ranks << ' ' << threads;
          EXPECT_TRUE(same(mine.second, expected(one.second))) << ranks << ' ' << threads;
          EXPECT_TRUE(same(mine.mean, one.mean));
          EXPECT_EQ(mine.trace, one.trace);
          EXPECT_EQ(mine.squares, one.squares);
        });
      }
  }
}

TEST(KernelTeam, M_G8_sends_and_receives_what_it_says_and_keeps_few_sums) {
  Random random(12);
  const Index n = 5000, width = 9;
  const Matrix<double> x = random.normal(n, 2), v = random.normal(n, width);
  const Tiles<double> tiles = kernel_tiles(kernels::linear(), Rows<double>(x));
  for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 8})
    with_team(ranks, [&](Team& team) {
      TeamLedger ledger(team);
      KernelMatrix<double> k(tiles, {.threads = 1, .team = &ledger});
      const RowSegments segments(n);
      const SegmentRange own = segments_of(segments.count(), team.rank(), ranks);
      const SegmentRange rows = segments.rows_of(own);
      Matrix<double> out(rows.size(), width);
      const Matrix<double> mine = v.middleRows(rows.first, rows.size());
      TeamTraffic said(ranks);
      const auto expect_as_said = [&] {
        const RankTraffic& now = said.ranks()[static_cast<std::size_t>(team.rank())];
        EXPECT_EQ(ledger.of(Purpose::passes), now) << ranks;
        EXPECT_EQ(ledger.of(Purpose::rows), RankTraffic());
      };
      k.apply(mine, out);
      KernelMatrix<double>::add_ring(said, n, width + 1);
      expect_as_said();
      k.apply(mine, out);
      KernelMatrix<double>::add_ring(said, n, width);
      expect_as_said();
      // What comes from others is in whole nodes: as many as a cyclic range of segments has.
      EXPECT_LE(k.most_sums(), own.size() * 8) << ranks;
    });
}

TEST(KernelTeam, a_monitor_that_stops_one_rank_stops_all) {
  Random random(13);
  const Matrix<double> x = random.normal(1500, 3), v = random.normal(1500, 4);
  const Tiles<double> tiles = kernel_tiles(kernels::linear(), Rows<double>(x));
  std::mutex mutex;
  int stopped = 0;
  with_team(4, [&](Team& team) {
    const bool stop = team.rank() == 2;
    KernelMatrix<double> k(tiles,
                           {.monitor = [=](const Progress&) { return !stop; }, .team = &team});
    const RowSegments segments(1500);
    const SegmentRange rows = segments.rows_of(segments_of(segments.count(), team.rank(), 4));
    Matrix<double> out(rows.size(), 4);
    const Matrix<double> mine = v.middleRows(rows.first, rows.size());
    EXPECT_THROW(k.apply(mine, out), Error);
    const std::lock_guard lock(mutex);
    ++stopped;
  });
  EXPECT_EQ(stopped, 4);
}

}  // namespace mercer::test::kernel_team_test
