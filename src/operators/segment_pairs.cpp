#include "operators/segment_pairs.hpp"

#include <algorithm>

namespace mercer {

namespace {

bool meets(SegmentRange range, Index first, Index length) {
  return first < range.end && first + length > range.first;
}

/// Pairs of two nodes of the tree, each 2^level segments from a multiple of that on.
void add_rectangle(SegmentRange own, SegmentRange other, Index i, Index j, Index length,
                   std::vector<SegmentPair>& out) {
  if (!meets(own, i, length) || !meets(other, j, length)) return;
  if (length == 1) return out.push_back({i, j});
  const Index half = length / 2;
  add_rectangle(own, other, i, j, half, out);
  add_rectangle(own, other, i, j + half, half, out);
  add_rectangle(own, other, i + half, j, half, out);
  add_rectangle(own, other, i + half, j + half, half, out);
}

void add_triangle(SegmentRange range, Index i, Index length, std::vector<SegmentPair>& out) {
  if (!meets(range, i, length)) return;
  if (length == 1) return out.push_back({i, i});
  const Index half = length / 2;
  add_triangle(range, i, half, out);
  add_rectangle(range, range, i, i + half, half, out);
  add_triangle(range, i + half, half, out);
}

Index whole_tree(Index end) {
  Index length = 1;
  while (length < end) length *= 2;
  return length;
}

}  // namespace

std::vector<SegmentPair> pairs_within(SegmentRange range) {
  std::vector<SegmentPair> out;
  add_triangle(range, 0, whole_tree(range.end), out);
  return out;
}

std::vector<SegmentPair> pairs_between(SegmentRange own, SegmentRange other) {
  std::vector<SegmentPair> out;
  add_rectangle(own, other, 0, 0, whole_tree(std::max(own.end, other.end)), out);
  return out;
}

RingStep ring_step(Index segments, int rank, int size, int h) {
  const int from = (rank + h) % size, to = (rank + size - h) % size;
  RingStep step{from, to, segments_of(segments, rank, size), segments_of(segments, from, size)};
  if (2 * h < size) return step;
  // The first half of the lower rank's segments is its own task, the rest the other rank's.
  SegmentRange& lower = rank < from ? step.own : step.other;
  const Index middle = lower.first + (lower.size() + 1) / 2;
  (rank < from ? lower.end : lower.first) = middle;
  return step;
}

}  // namespace mercer
