#pragma once
// How the N rows of tall blocks and of a kernel matrix are cut, so that sums over them have the
// same bits for any number of threads and ranks.
//
// Segments have 256·2^j rows, the last one fewer. j depends on N only: (256·2^j)² ≥ 8·N, so that
// there are enough of them to share, √(N/8) at most, and the sum of two is little work beside that
// of computing one. Ranks own consecutive segments.

#include "core/team.hpp"

#include <algorithm>

namespace mercer {

class RowSegments {
 public:
  /// Rows of the smallest segment: the side of a tile of the kernel matrix.
  static constexpr Index least = 256;

  explicit RowSegments(Index n) : n_(n) {
    while (each_ * each_ < 8 * n) each_ *= 2;
  }

  Index all_rows() const { return n_; }
  Index count() const { return (n_ + each_ - 1) / each_; }
  /// Rows of a segment: this many, but for the last one.
  Index each() const { return each_; }
  /// The first row of a segment; that of `count()` is the number of rows.
  Index first(Index segment) const { return std::min(n_, segment * each_); }
  Index rows(Index segment) const { return first(segment + 1) - first(segment); }
  /// Rows of these segments.
  SegmentRange rows_of(SegmentRange segments) const {
    return {first(segments.first), first(segments.end)};
  }

 private:
  Index n_, each_ = least;
};

}  // namespace mercer
