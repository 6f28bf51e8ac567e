#pragma once
// Which rows of a block go where when leaves of a fixed number of rows are filled.

#include <mercer/matrix.hpp>

#include <algorithm>
#include <vector>

namespace mercer {

/// Several times the triangle, so that factors of leaves cost little to combine, but no more than
/// 64 MiB.
inline Index qr_leaf_rows(Index d) {
  const Index most = (Index{8} << 20) / std::max<Index>(d, 1);
  return std::max<Index>(std::min(std::max<Index>(4 * d, 1024), most), 256);
}

/// Rows from `from` on that go to row `to` of a leaf.
struct LeafPiece {
  Index from, to, count;
};

/// The leaves of one round: the first goes on where `used` rows are in it already, all but the last
/// become full, and the last is full when `used` is the number of its rows in the end. `row`, the
/// next row to go, moves on. Rows of weight 0 go nowhere.
inline std::vector<std::vector<LeafPiece>> plan_leaves(const double* weights, Index rows,
                                                       Index leaf_rows, int most_leaves, Index& row,
                                                       Index& used) {
  std::vector<std::vector<LeafPiece>> leaves(1);
  while (row < rows) {
    if (weights && weights[row] == 0) {
      ++row;
      continue;
    }
    if (used == leaf_rows) {
      if (static_cast<int>(leaves.size()) == most_leaves) break;
      leaves.emplace_back();
      used = 0;
    }
    const Index most = std::min(rows, row + leaf_rows - used);
    Index end = weights ? row + 1 : most;
    while (end < most && weights[end] != 0) ++end;
    leaves.back().push_back({row, used, end - row});
    used += end - row;
    row = end;
  }
  return leaves;
}

}  // namespace mercer
