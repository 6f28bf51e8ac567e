#pragma once
// A tile of a kernel's values as numbers of type T, computed in double.

#include "kernels/node.hpp"
#include "kernels/wide_rows.hpp"

#include <algorithm>
#include <type_traits>

namespace mercer {

/// How values are computed: as they are, or what they lack of k(x, x) for kernels with a peak; with
/// squared distances from differences throughout, or only where they matter, and otherwise from
/// products of rows about `centre`, where that is given and rows are dense.
struct TileRule {
  bool fallen = false;
  bool differences = false;
  const double* centre = nullptr;
};

/// Rows that are evaluated at once, of many columns: they may be copied, 8 MiB at most.
inline Index wide_tile_side(Index columns) {
  return std::max<Index>(1, (Index{1} << 20) / std::max<Index>(1, columns));
}

/// out(i, j) = k(x_i, y_j), or k(x_i, y_j) − k(x, x). Rows must fit.
template <class T>
void evaluate_tile(const KernelNode& node, const Rows<T>& x, const Rows<T>& y,
                   Eigen::Ref<Matrix<T>> out, TileRule rule = {}) {
  const Index side =
      x.sparse() || y.sparse() ? std::max(x.rows(), y.rows()) : wide_tile_side(x.cols());
  if (x.rows() > side || y.rows() > side) {
    for (Index i = 0; i < x.rows(); i += side)
      for (Index j = 0; j < y.rows(); j += side) {
        const Index n = std::min(side, x.rows() - i), m = std::min(side, y.rows() - j);
        evaluate_tile<T>(node, x.middle(i, n), y.middle(j, m), out.block(i, j, n, m), rule);
      }
    return;
  }
  Uses uses;
  node.announce(uses);
  uses.differences = rule.differences;
  uses.centre = rule.centre;
  const WideRows<T> wide_x(x), wide_y(y);
  Evaluation pairs(wide_x.rows(), wide_y.rows(), uses, rule.fallen);
  if constexpr (std::is_same_v<T, double>) {
    node.evaluate(pairs, {out.data(), out.rows(), out.cols(), out.outerStride()});
  } else {
    const Scratch<double> values(out.size());
    node.evaluate(pairs, {values.data(), out.rows(), out.cols(), out.cols()});
    out =
        Eigen::Map<const Matrix<double>>(values.data(), out.rows(), out.cols()).template cast<T>();
    if (!out.allFinite()) refuse_not_finite(node);
  }
}

}  // namespace mercer
