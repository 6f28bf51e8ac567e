#pragma once
// Sums for the rows of each segment of a range, over what all segments contribute to them, in the
// order of the binary tree over these. Contributions come in any order and from several threads.

#include "core/tree_sum.hpp"

#include <atomic>
#include <mutex>
#include <vector>

namespace mercer {

class SegmentSums {
 public:
  /// For these segments, over the contributions of `count` segments.
  SegmentSums(SegmentRange range, Index count);

  /// Adds to segment `at` what a node of segments contributes: `size` numbers.
  void add(Index at, SegmentNode from, const double* numbers, Index size);

  /// The sums that there are for a segment; when all segments have contributed, one.
  const NodeSums& of(Index at) const { return sums_[index(at)]; }
  void drop(Index at);
  /// The nodes of these sums when the segments of `from` have contributed, in the order of `of`.
  std::vector<SegmentNode> nodes(SegmentRange from) const;

  /// The most partial sums that there were at a time.
  Index peak() const { return peak_; }

 private:
  /// The largest node that this one is all of: there is no right half.
  SegmentNode closed(SegmentNode node) const;
  std::size_t index(Index at) const { return static_cast<std::size_t>(at - range_.first); }

  SegmentRange range_;
  Index count_;
  std::vector<NodeSums> sums_;
  std::vector<std::mutex> mutexes_;
  std::atomic<Index> live_{0}, peak_{0};
};

}  // namespace mercer
