#include "operators/tiles.hpp"

#include "core/parallel.hpp"
#include "kernels/evaluate_tile.hpp"
#include "kernels/flat.hpp"
#include "kernels/node.hpp"
#include "kernels/pick_rows.hpp"
#include "linalg/blas.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

template <class T>
Tiles<T> kernel_tiles(const Kernel& kernel, const Rows<T>& rows, bool centred, bool differences,
                      const CellError& cells) {
  kernel.require_domain(rows);
  if (const auto flat = centred ? FlatKernel<T>::of(kernel, rows, differences) : std::nullopt) {
    Tiles<T> tiles{rows.rows(), flat->diagonal(),
                   [flat](Index i, Index j, Eigen::Ref<Matrix<T>> out) { flat->tile(i, j, out); },
                   [flat](const std::vector<Index>& chosen, int threads) {
                     return flat->columns(chosen, threads);
                   }};
    tiles.offset = flat->offset();
    tiles.worst = flat->error();
    tiles.likely = flat->likely_error();
    // No value of such a kernel is above the one on its diagonal.
    const EntryError moved = moved_error(kernel, rows, cells);
    const double peak = *kernel.node()->peak();
    for (TileError* error : {&tiles.worst, &tiles.likely})
      error->entries.absolute += (moved.relative + moved.diagonal) * peak + moved.absolute;
    return tiles;
  }
  Tiles<T> tiles{rows.rows(), kernel.diagonal(rows).template cast<double>(),
                 [kernel, rows, differences](Index i, Index j, Eigen::Ref<Matrix<T>> out) {
                   const BlasThreads one(1);
                   evaluate_tile(*kernel.node(), rows.middle(i, out.rows()),
                                 rows.middle(j, out.cols()), out, {.differences = differences});
                 },
                 [kernel, rows](const std::vector<Index>& chosen, int threads) {
                   const PickedRows<T> some(rows, chosen);
                   return kernel.matrix<T>(rows, some.rows(), {.threads = threads});
                 }};
  RowExtent extent = extent_of(rows);
  extent.differences = differences;
  const ValueBound bound = value_bound<T>(kernel, extent);
  extent.likely = true;
  tiles.worst.entries = bound.error;
  tiles.likely.entries = value_bound<T>(kernel, extent).error;
  const EntryError moved = moved_error(kernel, rows, cells);
  for (TileError* error : {&tiles.worst, &tiles.likely}) {
    error->entries.relative += moved.relative;
    error->entries.diagonal += moved.diagonal;
    error->entries.absolute += moved.absolute;
  }
  tiles.nonnegative = bound.nonnegative;
  return tiles;
}

template <class T>
Tiles<T> matrix_tiles(const Rows<T>& matrix) {
  return {matrix.rows(), matrix.dense().diagonal().template cast<double>(),
          [matrix](Index i, Index j, Eigen::Ref<Matrix<T>> out) {
            out = matrix.dense().block(i, j, out.rows(), out.cols());
          },
          [matrix](const std::vector<Index>& chosen, int) {
            Matrix<T> out(matrix.rows(), static_cast<Index>(chosen.size()));
            for (std::size_t c = 0; c < chosen.size(); ++c)
              out.col(static_cast<Index>(c)) = matrix.dense().col(chosen[c]);
            return out;
          }};
}

template <class T>
Tiles<T> scaled_tiles(Tiles<T> tiles, int exponent) {
  const T factor = std::ldexp(T(1), exponent);
  Tiles<T> out = tiles;
  out.diagonal *= static_cast<double>(factor);
  for (TileError* error : {&out.worst, &out.likely}) {
    error->entries.absolute *= static_cast<double>(factor);
    error->rows *= static_cast<double>(factor);
  }
  out.offset *= static_cast<double>(factor);
  out.fill = [tiles, factor](Index i, Index j, Eigen::Ref<Matrix<T>> block) {
    tiles.fill(i, j, block);
    block *= factor;
  };
  out.columns = [tiles, factor](const std::vector<Index>& rows, int threads) {
    return Matrix<T>(factor * tiles.columns(rows, threads));
  };
  return out;
}

template <class T>
BadMinor worst_minor(const Eigen::Ref<const Matrix<T>>& block, const Vector<double>& diagonal,
                     Index i, Index j) {
  BadMinor worst;
  for (Index r = 0; r < block.rows(); ++r) {
    const double own = diagonal[i + r];
    Index c = 0;
    const double excess = (block.row(r).template cast<double>().array().square() -
                           own * diagonal.segment(j, block.cols()).transpose().array())
                              .maxCoeff(&c);
    if (excess <= 0 || i + r == j + c) continue;
    const double other = diagonal[j + c], off = static_cast<double>(block(r, c));
    const double smallest = 0.5 * (own + other) - std::hypot(0.5 * (own - other), off);
    if (smallest < worst.smallest) worst = {i + r, j + c, smallest};
  }
  return worst;
}

template <class T>
Matrix<double> whole_matrix(const Tiles<T>& tiles, int threads) {
  constexpr Index side = 256;
  const Index n = tiles.size, across = (n + side - 1) / side;
  Matrix<double> k(n, n);
  const BlasThreads one(1);
  parallel_for(across * across, threads, [&](Index t) {
    const Index i = t / across * side, j = t % across * side;
    if (j < i) return;
    Matrix<T> tile(std::min(side, n - i), std::min(side, n - j));
    tiles.fill(i, j, tile);
    k.block(i, j, tile.rows(), tile.cols()) = tile.template cast<double>();
  });
  k.diagonal() = tiles.diagonal;
  k.template triangularView<Eigen::StrictlyLower>() = k.transpose();
  return k;
}

#define MERCER_INSTANTIATE(T)                                                                     \
  template Tiles<T> kernel_tiles(const Kernel&, const Rows<T>&, bool, bool, const CellError&);    \
  template Tiles<T> matrix_tiles(const Rows<T>&);                                                 \
  template Tiles<T> scaled_tiles(Tiles<T>, int);                                                  \
  template Matrix<double> whole_matrix(const Tiles<T>&, int);                                     \
  template BadMinor worst_minor(const Eigen::Ref<const Matrix<T>>&, const Vector<double>&, Index, \
                                Index);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
