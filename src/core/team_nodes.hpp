#pragma once
// Sums over leaves of rows (core/segments.hpp) that the ranks of a team have in parts: each rank
// pushes the leaves that begin in its rows, and rank 0 puts the nodes together, in the order of the
// rows. The tree is that of one process, so the sums have the same bits.

#include "core/segments.hpp"
#include "core/team.hpp"
#include "core/team_traffic.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace mercer {

using Numbers = std::vector<double>;

inline void send_numbers(Team& team, int to, const Numbers& numbers) {
  const auto count = static_cast<std::int64_t>(numbers.size());
  team.send(to, &count, sizeof count);
  send_all(team, to, numbers.data(), numbers.size() * sizeof(double));
}

inline Numbers receive_numbers(Team& team, int from) {
  std::int64_t count = 0;
  team.receive(from, &count, sizeof count);
  Numbers numbers(static_cast<std::size_t>(count));
  receive_all(team, from, numbers.data(), numbers.size() * sizeof(double));
  return numbers;
}

/// The trees of all ranks, in `tree` of rank 0; those of the others are used up.
/// `pack(sum) -> Numbers`, `unpack(Numbers) -> Sum`.
template <class Sum, class Pack, class Unpack>
void collect_nodes(Team& team, Segments<Sum>& tree, const Pack& pack, const Unpack& unpack) {
  if (team.rank() != 0) {
    const auto nodes = tree.take_nodes();
    const auto count = static_cast<std::int64_t>(nodes.size());
    team.send(0, &count, sizeof count);
    for (const auto& node : nodes) {
      const std::int64_t place[] = {node.level, node.count};
      team.send(0, place, sizeof place);
      send_numbers(team, 0, pack(node.sum));
    }
    return;
  }
  for (int rank = 1; rank < team.size(); ++rank) {
    std::int64_t count = 0;
    team.receive(rank, &count, sizeof count);
    for (; count > 0; --count) {
      std::int64_t place[2] = {};
      team.receive(rank, place, sizeof place);
      typename Segments<Sum>::Node node{static_cast<int>(place[0]), static_cast<int>(place[1]),
                                        unpack(receive_numbers(team, rank))};
      tree.append(node);
    }
  }
}

/// What one rank at most has, on rank 0. `pack() -> Numbers`, empty for nothing; `take(Numbers)`.
template <class Pack, class Take>
void collect_rest(Team& team, const Pack& pack, const Take& take) {
  if (team.rank() != 0) return send_numbers(team, 0, pack());
  for (int rank = 1; rank < team.size(); ++rank)
    if (const Numbers numbers = receive_numbers(team, rank); !numbers.empty()) take(numbers);
}

/// Where the leaves of each rank begin when its rows begin at `rows[rank]`, the last entry being
/// their number: a leaf belongs to the rank in whose rows it begins. One that is not full is none.
inline std::vector<std::int64_t> leaves_of(const std::vector<std::int64_t>& rows, Index leaf_rows) {
  std::vector<std::int64_t> leaves;
  for (const std::int64_t first : rows)
    leaves.push_back(std::min((first + leaf_rows - 1) / leaf_rows, rows.back() / leaf_rows));
  return leaves;
}

/// The rank in whose rows this one lies.
inline int owner_of(const std::vector<std::int64_t>& rows, std::int64_t row) {
  return static_cast<int>(std::ranges::upper_bound(rows, row) - rows.begin()) - 1;
}

/// What `collect_nodes` sends, with so many numbers per node.
inline void add_nodes(TeamTraffic& traffic, const std::vector<std::int64_t>& leaves, int radix,
                      Index numbers) {
  struct Nothing {
    void merge(const Nothing&) {}
  };
  for (int rank = 1; rank < traffic.size(); ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    Segments<Nothing> tree(radix);
    tree.begin_at(leaves[at]);
    Nothing leaf;
    for (std::int64_t i = leaves[at]; i < leaves[at + 1]; ++i) tree.push(leaf);
    traffic.send_all(rank, 0, sizeof(std::int64_t));
    for (std::size_t count = tree.take_nodes().size(); count > 0; --count) {
      traffic.send_all(rank, 0, 2 * sizeof(std::int64_t));
      traffic.send_numbers(rank, 0, numbers);
    }
  }
}

}  // namespace mercer
