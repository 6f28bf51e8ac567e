#include "operators/segment_sums.hpp"

#include <algorithm>
#include <utility>

namespace mercer {

SegmentSums::SegmentSums(SegmentRange range, Index count)
    : range_(range),
      count_(count),
      sums_(static_cast<std::size_t>(range.size())),
      mutexes_(static_cast<std::size_t>(range.size())) {}

SegmentNode SegmentSums::closed(SegmentNode node) const {
  while (node.number > 0 && node.number % 2 == 0 && (node.number + 1) << node.level >= count_)
    node = {node.level + 1, node.number / 2};
  return node;
}

void SegmentSums::add(Index at, SegmentNode from, const double* numbers, Index size) {
  const Eigen::Map<const Vector<double>> fresh(numbers, size);
  const std::lock_guard lock(mutexes_[index(at)]);
  NodeSums& sums = sums_[index(at)];
  const Index before = std::ssize(sums);
  SegmentNode node = closed(from);
  auto neighbour = [&] { return sums.find({node.level, node.number ^ 1}); };
  if (auto other = neighbour(); other == sums.end()) {
    sums.emplace(node, fresh);
  } else {
    // Which of two numbers comes first makes no difference to the bits of their sum.
    other->second += fresh;
    for (;;) {
      NodeSums::node_type sum = sums.extract(other);
      node = closed({node.level + 1, node.number / 2});
      sum.key() = node;
      other = neighbour();
      if (other == sums.end()) {
        sums.insert(std::move(sum));
        break;
      }
      other->second += sum.mapped();
    }
  }
  const Index now = live_ += std::ssize(sums) - before;
  for (Index most = peak_; now > most && !peak_.compare_exchange_weak(most, now);) {
  }
}

std::vector<SegmentNode> SegmentSums::nodes(SegmentRange from) const {
  if (from.size() == 0) return {};
  Index whole = 1;
  while (whole < count_) whole *= 2;
  std::vector<SegmentNode> nodes = nodes_of({from.first, from.end == count_ ? whole : from.end});
  std::erase_if(nodes,
                [&](const SegmentNode& node) { return node.number << node.level >= count_; });
  std::ranges::sort(nodes);
  return nodes;
}

void SegmentSums::drop(Index at) {
  live_ -= std::ssize(sums_[index(at)]);
  sums_[index(at)].clear();
}

}  // namespace mercer
