#pragma once
// What the ranks of a team send and receive by the calls of core/team.hpp, computed without a team:
// a function here has the name of the call that it counts.

#include "core/team.hpp"

#include <mercer/team_ledger.hpp>

#include <vector>

namespace mercer {

class TeamTraffic {
 public:
  explicit TeamTraffic(int size) : ranks_(static_cast<std::size_t>(size)) {}

  int size() const { return static_cast<int>(ranks_.size()); }
  const std::vector<RankTraffic>& ranks() const { return ranks_; }

  /// Numbers of bytes; none are no message. `exchange_all` is two of these.
  void send_all(int from, int to, double bytes);
  void broadcast_all(int root, double bytes);
  void all_of();
  void scan() { all_of(); }
  void agree() { all_of(); }
  /// Of a vector.
  void from_root(Index length);
  /// core/team_nodes.hpp
  void send_numbers(int from, int to, Index count);

 private:
  RankTraffic& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  std::vector<RankTraffic> ranks_;
};

}  // namespace mercer
