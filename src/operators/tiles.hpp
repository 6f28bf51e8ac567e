#pragma once
// Where the tiles of a kernel matrix come from: a kernel and rows, or a matrix that was computed
// elsewhere.

#include <mercer/kernel.hpp>
#include <mercer/matrix.hpp>
#include <mercer/rows.hpp>

#include <functional>
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
};

/// k(x_i, x_j). The rows stay with the caller.
template <class T>
Tiles<T> kernel_tiles(const Kernel& kernel, const Rows<T>& rows);

/// Blocks of a square matrix, which stays with the caller.
template <class T>
Tiles<T> matrix_tiles(const Rows<T>& matrix);

/// All of them, exactly symmetric.
template <class T>
Matrix<double> whole_matrix(const Tiles<T>& tiles, int threads);

}  // namespace mercer
