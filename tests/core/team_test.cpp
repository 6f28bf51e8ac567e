#include "core/team.hpp"

#include "core/require.hpp"
#include "support/thread_team.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <random>

namespace mercer {
namespace team_test {

using test::with_team;

constexpr int most_ranks = 9;

/// Numbers whose sum depends on the order of additions.
Matrix<double> contributions(Index count, Index width) {
  std::mt19937_64 random(5);
  Matrix<double> out(count, width);
  for (Index i = 0; i < count; ++i)
    for (Index j = 0; j < width; ++j)
      out(i, j) = std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 40));
  return out;
}

/// The sum as its definition says, by recursion.
Vector<double> tree_sum(const Matrix<double>& parts, Index from, Index length) {
  if (length == 1) return parts.row(from).transpose();
  const Index half = length / 2;
  Vector<double> left = tree_sum(parts, from, half);
  if (from + half < parts.rows()) left += tree_sum(parts, from + half, half);
  return left;
}

TEST(Team, M_P4_ordered_sums_have_the_bits_of_the_tree_for_any_number_of_ranks) {
  for (const Index count : {1, 2, 3, 7, 8, 13, 64}) {
    const Matrix<double> parts = contributions(count, 3);
    Index whole = 1;
    while (whole < count) whole *= 2;
    const Vector<double> expected = tree_sum(parts, 0, whole);
    for (int ranks = 1; ranks <= most_ranks; ++ranks)
      with_team(ranks, [&](Team& team) {
        const SegmentRange mine = segments_of(count, team.rank(), team.size());
        Matrix<double> own = parts.middleRows(mine.first, mine.size());
        const Vector<double> sum = ordered_sum(team, count, mine, own);
        EXPECT_TRUE((sum.array() == expected.array()).all()) << count << " on " << ranks;
      });
  }
}

TEST(Team, nodes_cover_a_range_and_are_whole) {
  for (Index first = 0; first < 20; ++first)
    for (Index end = first; end < 24; ++end) {
      Index at = first;
      for (const SegmentNode& node : nodes_of({first, end})) {
        EXPECT_EQ(node.number << node.level, at);
        at += Index{1} << node.level;
      }
      EXPECT_EQ(at, end);
    }
  EXPECT_EQ(nodes_of({3, 8}), (std::vector<SegmentNode>{{0, 3}, {2, 1}}));
}

TEST(Team, an_error_of_one_rank_is_thrown_on_all) {
  for (int ranks = 1; ranks <= 5; ++ranks)
    for (int bad = 0; bad < ranks; ++bad) {
      std::mutex mutex;
      int seen = 0;
      with_team(ranks, [&](Team& team) {
        try {
          agree(team, [&] {
            require(team.rank() < bad, Errc::bad_file, "line {} of {} is bad", team.rank(),
                    Input("b.csv"));
          });
        } catch (const Error& e) {
          const std::lock_guard lock(mutex);
          EXPECT_EQ(e.code(), Errc::bad_file);
          EXPECT_EQ(e.what(), "line " + std::to_string(bad) + " of b.csv is bad");
          EXPECT_EQ(e.input(), "b.csv");
          ++seen;
        }
      });
      EXPECT_EQ(seen, ranks);
    }
}

TEST(Team, scan_counts_what_lies_before) {
  with_team(5, [](Team& team) {
    const Scanned found = scan(team, 10 + team.rank());
    EXPECT_EQ(found.total, 60);
    EXPECT_EQ(found.before, 10 * team.rank() + team.rank() * (team.rank() - 1) / 2);
  });
}

TEST(Team, gather_keeps_the_order_of_ranks_and_leaves_out_nothing) {
  with_team(4, [](Team& team) {
    const std::string own(static_cast<std::size_t>(team.rank()), 'a');
    const std::vector<std::string> all = gather(team, own);
    if (team.rank() == 0) EXPECT_EQ(all, (std::vector<std::string>{"", "a", "aa", "aaa"}));
    else EXPECT_TRUE(all.empty());
    const Matrix<double> rows = Matrix<double>::Constant(team.rank(), 2, team.rank());
    const Matrix<double> every = gather_rows(team, rows);
    if (team.rank() != 0) return;
    ASSERT_EQ(every.rows(), 6);
    EXPECT_EQ(every.col(1), (Vector<double>(6) << 1, 2, 2, 3, 3, 3).finished());
  });
}

TEST(Team, what_the_root_has_replaces_what_others_have) {
  with_team(3, [](Team& team) {
    Matrix<double> m = Matrix<double>::Constant(1 + team.rank(), 2, 7.0 + team.rank());
    from_root(team, m);
    EXPECT_EQ(m, (Matrix<double>::Constant(1, 2, 7.0)));
    std::string text(static_cast<std::size_t>(3 * team.rank()), 'x');
    from_root(team, text);
    EXPECT_EQ(text, "");
  });
}

TEST(Team, long_messages_travel_in_pieces) {
  with_team(2, [](Team& team) {
    std::vector<int> sent(1000), received(1000);
    for (int i = 0; i < 1000; ++i) sent[static_cast<std::size_t>(i)] = i + team.rank();
    const int other = 1 - team.rank();
    const std::size_t bytes = sent.size() * sizeof(int);
    exchange_all(team, other, sent.data(), bytes, other, received.data(), bytes, 512);
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(received[static_cast<std::size_t>(i)], i + other);
    EXPECT_EQ(team.traffic().messages, 8);
    EXPECT_EQ(team.traffic().bytes, 4000);
  });
}

}  // namespace team_test
}  // namespace mercer
