#pragma once
// Where the tiles of a kernel matrix come from: a kernel and rows, or a matrix that was computed
// elsewhere.

#include "kernels/tile_error.hpp"

#include <mercer/kernel.hpp>
#include <mercer/matrix.hpp>
#include <mercer/rows.hpp>

#include <functional>
#include <limits>
#include <vector>

namespace mercer {

template <class T>
struct Tiles {
  Index size = 0;
  Vector<double> diagonal;  ///< as exact as it can be had
  /// out = the block of K that begins at (i, j). Single-threaded, called from several threads.
  std::function<void(Index i, Index j, Eigen::Ref<Matrix<T>> out)> fill;
  /// K's columns of these rows, n×|rows|, made on up to `threads` threads.
  std::function<Matrix<T>(const std::vector<Index>& rows, int threads)> columns;
  /// |computed k_ij − exact k_ij|, in the worst case and where rounding errors are independent.
  TileError worst{}, likely{};
  bool nonnegative = false;  ///< no entry is negative
  /// Where K was asked for up to what centring removes: k(x_i, x_j) is the entry + offset_i +
  /// offset_j. Empty: 0.
  Vector<double> offset{};
};

/// k(x_i, x_j). The rows stay with the caller. `centred`: the matrix will be centred, so terms of a
/// row alone may be left out, which saves the digits of nearly constant kernels. `differences`: all
/// squared distances are sums of squared differences, which is slower and more exact. `cells`: how
/// far the rows themselves may be off.
template <class T>
Tiles<T> kernel_tiles(const Kernel& kernel, const Rows<T>& rows, bool centred = false,
                      bool differences = false, const CellError& cells = {});

/// The same times 2^exponent, which no digit depends on.
template <class T>
Tiles<T> scaled_tiles(Tiles<T> tiles, int exponent);

/// Blocks of a square matrix, which stays with the caller. Its numbers are what was asked about:
/// they have no error.
template <class T>
Tiles<T> matrix_tiles(const Rows<T>& matrix);

/// Two rows of K with k_ij² > k_ii·k_jj, which no positive semi-definite matrix has.
struct BadMinor {
  Index row = 0, col = 0;
  double smallest = 0;  ///< zᵀKz of some unit z on the two rows; 0: there are none
};

/// The worst of them in the block of K that begins at (i, j).
template <class T>
BadMinor worst_minor(const Eigen::Ref<const Matrix<T>>& block, const Vector<double>& diagonal,
                     Index i, Index j);

/// All of them, exactly symmetric.
template <class T>
Matrix<double> whole_matrix(const Tiles<T>& tiles, int threads);

}  // namespace mercer
