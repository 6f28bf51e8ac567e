#include "core/team.hpp"

#include "core/require.hpp"
#include "core/team_chain.hpp"
#include "support/thread_team.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

namespace mercer {
namespace team_test {

using test::with_team;

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

TEST(Team, a_chain_goes_from_rank_to_rank_and_ends_on_rank_0) {
  for (int ranks = 1; ranks <= 5; ++ranks) {
    std::vector<std::string> before(static_cast<std::size_t>(ranks));
    std::string all;
    with_team(ranks, [&](Team& team) {
      std::string state;
      chain(team, state, [&] {
        before[static_cast<std::size_t>(team.rank())] = state;
        state += std::to_string(team.rank());
      });
      if (team.rank() == 0) all = state;
    });
    const std::string order = std::string("01234").substr(0, static_cast<std::size_t>(ranks));
    EXPECT_EQ(all, order);
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(before[i], order.substr(0, i));
  }
  EXPECT_THROW(with_team(3,
                         [](Team& team) {
                           int state = 0;
                           chain(team, state,
                                 [&] { require(team.rank() != 1, Errc::bad_data, "no"); });
                         }),
               Error);
}

TEST(Team, rank_0_takes_the_bytes_of_the_others_in_their_order) {
  with_team(4, [](Team& team) {
    std::string all;
    collect(team, std::string(static_cast<std::size_t>(team.rank()), 'a') + "b",
            [&](const std::string& bytes) { all += bytes; });
    EXPECT_EQ(all, team.rank() == 0 ? "abaabaaab" : "");
  });
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
