#pragma once
// Sums over segments in the order of one binary tree, with the same bits for any number of ranks
// and threads: a node is the sum of its left half plus that of its right half, and one without a
// right half is its left half. No partial sum is kept for each segment: log₂ of their number at a
// time.

#include "core/team.hpp"

#include <functional>
#include <map>

namespace mercer {

/// Sums of whole nodes of the tree.
using NodeSums = std::map<SegmentNode, Vector<double>>;

/// Adds `sum` of a node. Two halves of a node become its sum, and so on upwards.
void add_node(NodeSums& sums, SegmentNode node, Vector<double> sum);

/// Σ of what the segments of `range` contribute, `width` numbers each: of the nodes of
/// nodes_of(range). `write(segment, numbers)` sets what a segment contributes. It is called once
/// for each, on up to `threads` threads; a thread takes `grain` segments at a time, or more.
NodeSums sum_segments(SegmentRange range, Index width, Index grain, int threads,
                      const std::function<void(Index segment, double* sum)>& write);

/// The sum over all segments 0 … count − 1, on all ranks, from the nodes of each; `mine` is used
/// up.
Vector<double> ordered_sum(Team& team, Index count, Index width, NodeSums mine);

}  // namespace mercer
