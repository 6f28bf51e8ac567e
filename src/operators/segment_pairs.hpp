#pragma once
// Which pairs of segments of a kernel matrix a rank computes, and when.
//
// Each pair of segments is computed once, by one rank. Rank p computes the pairs within its own
// segments, and at step h = 1 … P/2 those of its segments with the ones of rank p + h, whose
// vectors it receives: a half-ring. For even P the last step meets each pair of ranks twice; there
// each of the two takes half. Within a step pairs come in the order of a quadtree, so that sums
// over the binary tree of segments are completed soon: about two partial sums for each segment at a
// time.

#include "core/team.hpp"

#include <vector>

namespace mercer {

struct SegmentPair {
  Index own = 0, other = 0;
  friend auto operator<=>(const SegmentPair&, const SegmentPair&) = default;
};

/// Pairs within a range, own ≤ other, and those of one range with another that it does not overlap.
std::vector<SegmentPair> pairs_within(SegmentRange range);
std::vector<SegmentPair> pairs_between(SegmentRange own, SegmentRange other);

/// What rank `rank` of `size` does at step h ≥ 1: its segments `own` meet `other` of rank `from`,
/// whose vectors it receives while its own go to rank `to`.
struct RingStep {
  int from = 0, to = 0;
  SegmentRange own{}, other{};
};
RingStep ring_step(Index segments, int rank, int size, int h);

}  // namespace mercer
