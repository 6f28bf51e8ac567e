#include "core/tree_sum.hpp"

#include "core/parallel.hpp"

#include <algorithm>
#include <utility>

namespace mercer {

namespace {

/// Sums that threads compute at a time: enough for them, unless the sums are large.
Index most_nodes(Index width) {
  constexpr Index most = 64, least = 8, numbers = Index{1} << 22;
  return std::clamp(numbers / std::max<Index>(width, 1), least, most);
}

/// The sum of a node: its left half, plus its right half, for which each level has a row of
/// `halves`.
void sum_node(SegmentNode node, const std::function<void(Index, double*)>& write,
              Matrix<double>& halves, Eigen::Ref<Vector<double>> sum) {
  if (node.level == 0) return write(node.number, sum.data());
  sum_node({node.level - 1, 2 * node.number}, write, halves, sum);
  auto right = halves.row(node.level - 1).transpose();
  sum_node({node.level - 1, 2 * node.number + 1}, write, halves, right);
  sum += right;
}

}  // namespace

void add_node(NodeSums& sums, SegmentNode node, Vector<double> sum) {
  for (;;) {
    const auto other = sums.find({node.level, node.number ^ 1});
    if (other == sums.end()) break;
    // Which of two numbers comes first makes no difference to the bits of their sum.
    sum += other->second;
    sums.erase(other);
    node = {node.level + 1, node.number / 2};
  }
  sums.emplace(node, std::move(sum));
}

NodeSums sum_segments(SegmentRange range, Index width, Index grain, int threads,
                      const std::function<void(Index, double*)>& write) {
  const Index most = std::max(grain, (range.size() + most_nodes(width) - 1) / most_nodes(width));
  int level = 0;
  while (Index{1} << level < most) ++level;
  std::vector<SegmentNode> nodes;
  for (const SegmentNode& node : nodes_of(range)) {
    const int depth = std::max(0, node.level - level);
    for (Index part = 0; part < Index{1} << depth; ++part)
      nodes.push_back({node.level - depth, (node.number << depth) + part});
  }
  std::vector<Vector<double>> parts(nodes.size());
  parallel_for(std::ssize(nodes), threads, [&](Index i) {
    const auto at = static_cast<std::size_t>(i);
    Matrix<double> halves(nodes[at].level, width);
    parts[at].resize(width);
    sum_node(nodes[at], write, halves, parts[at]);
  });
  NodeSums sums;
  for (std::size_t i = 0; i < nodes.size(); ++i) add_node(sums, nodes[i], std::move(parts[i]));
  return sums;
}

Vector<double> ordered_sum(Team& team, Index count, Index width, NodeSums mine) {
  if (count == 0) return Vector<double>::Zero(width);
  const auto bytes = sizeof(double) * static_cast<std::size_t>(width);
  const auto owner = [&](Index segment) {
    int rank = static_cast<int>(segment * team.size() / count);
    while (segments_of(count, rank, team.size()).end <= segment) ++rank;
    return rank;
  };
  Vector<double> right(width);
  for (int level = 0; Index{1} << level < count; ++level) {
    // A rank has a node when it owns its first segment. Nodes go to ranks before this one only, so
    // that no circle of ranks waits for itself.
    for (auto at = mine.begin(); at != mine.end() && at->first.level == level;) {
      const Index number = at->first.number;
      const int to = number % 2 == 1 ? owner((number - 1) << level) : team.rank();
      if (to == team.rank()) {
        ++at;
        continue;
      }
      send_all(team, to, at->second.data(), bytes);
      at = mine.erase(at);
    }
    while (!mine.empty() && mine.begin()->first.level == level) {
      const auto left = mine.begin();
      const Index number = left->first.number, other = (number + 1) << level;
      if (other < count) {
        // Neighbours of one rank have been added before: this one belongs to a rank that follows.
        receive_all(team, owner(other), right.data(), bytes);
        left->second += right;
      }
      Vector<double> sum = std::move(left->second);
      mine.erase(left);
      add_node(mine, {level + 1, number / 2}, std::move(sum));
    }
  }
  const int first = owner(0);  // not rank 0, where there are fewer segments than ranks
  Vector<double> sum(width);
  if (team.rank() == first) sum = std::move(mine.begin()->second);
  broadcast_all(team, first, sum.data(), bytes);
  return sum;
}

}  // namespace mercer
