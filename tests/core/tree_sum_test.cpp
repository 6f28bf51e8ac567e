#include "core/tree_sum.hpp"

#include "core/row_segments.hpp"
#include "support/thread_team.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace mercer::tree_sum_test {

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

TEST(TreeSum, M_P4_sums_of_nodes_have_the_bits_of_the_tree_for_any_ranks_threads_and_grain) {
  for (const Index count : {1, 2, 3, 7, 8, 13, 64, 171}) {
    const Matrix<double> parts = contributions(count, 3);
    Index whole = 1;
    while (whole < count) whole *= 2;
    const Vector<double> expected = tree_sum(parts, 0, whole);
    for (int ranks = 1; ranks <= 9; ++ranks)
      for (const Index grain : {1, 3, 100})
        test::with_team(ranks, [&](Team& team) {
          const NodeSums mine =
              sum_segments(segments_of(count, team.rank(), team.size()), 3, grain, 1 + ranks % 2,
                           [&](Index s, double* sum) { std::copy_n(parts.row(s).data(), 3, sum); });
          const Vector<double> sum = ordered_sum(team, count, 3, mine);
          EXPECT_EQ(sum, expected) << count << " on " << ranks;
        });
  }
}

TEST(TreeSum, nodes_that_come_in_any_order_give_the_same_bits) {
  const Matrix<double> parts = contributions(32, 2);
  const Vector<double> expected = tree_sum(parts, 0, 32);
  std::mt19937_64 random(3);
  std::vector<Index> order(32);
  for (Index i = 0; i < 32; ++i) order[static_cast<std::size_t>(i)] = i;
  for (int trial = 0; trial < 50; ++trial) {
    std::shuffle(order.begin(), order.end(), random);
    NodeSums sums;
    for (const Index i : order) add_node(sums, {0, i}, parts.row(i).transpose());
    ASSERT_EQ(sums.size(), 1U);
    EXPECT_EQ(sums.begin()->second, expected);
  }
}

TEST(RowSegments, are_whole_tiles_and_enough_of_them_to_share) {
  for (const Index n : {1, 255, 256, 257, 4000, 8192, 8193, 50'000, 1'000'000}) {
    const RowSegments segments(n);
    EXPECT_EQ(segments.each() % 256, 0);
    EXPECT_LE(segments.count() * segments.count(), n / 8 + 2 * segments.count());
    Index rows = 0;
    for (Index s = 0; s < segments.count(); ++s) {
      EXPECT_EQ(segments.first(s), rows);
      EXPECT_GT(segments.rows(s), 0);
      rows += segments.rows(s);
    }
    EXPECT_EQ(rows, n);
    EXPECT_GE(segments.count(), n <= 8192 ? (n + 255) / 256 : 16);
  }
}

}  // namespace mercer::tree_sum_test
