#pragma once
// Kernels that are nearly constant on the rows at hand: rbf of a width far beyond them. Centring
// takes the constant away, and with it all digits that the values share. What centring leaves is
// had from the kernel about a point c of the rows,
//
//     k_c(x, y) = k(x, y) − k(x, c) − k(c, y) + k(c, c),
//
// the inner product of φ(x) − φ(c) and φ(y) − φ(c): the same matrix once it is centred, positive
// semi-definite like k, and small. Each difference k(x, y) − k(x, x) is computed without
// cancellation (expm1 for rbf).

#include "kernels/tile_error.hpp"

#include <mercer/kernel.hpp>
#include <mercer/rows.hpp>

#include <optional>
#include <vector>

namespace mercer {

template <class T>
class FlatKernel {
 public:
  /// About the mean of the rows, or about the first of them where they are sparse. Nothing when the
  /// kernel has no peak, or is not so flat that the matrix about c is more exact. The rows stay
  /// with the caller.
  static std::optional<FlatKernel> of(const Kernel& kernel, const Rows<T>& rows,
                                      bool differences = false);

  /// out = the block of k_c that begins at (i, j).
  void tile(Index i, Index j, Eigen::Ref<Matrix<T>> out) const;
  /// Columns of these rows.
  Matrix<T> columns(const std::vector<Index>& chosen, int threads) const;
  /// k_c(x_i, x_i).
  Vector<double> diagonal() const { return -2 * falls_; }
  /// k(x_i, x_j) = k_c(x_i, x_j) + offset_i + offset_j.
  Vector<double> offset() const { return (falls_.array() + peak_ / 2).matrix(); }
  /// In the worst case, and where rounding errors are independent.
  const TileError& error() const { return error_; }
  const TileError& likely_error() const { return likely_error_; }

 private:
  FlatKernel(Kernel kernel, const Rows<T>& rows, bool differences)
      : kernel_(std::move(kernel)), rows_(rows), differences_(differences) {}
  TileError error_for(const RowExtent& extent) const;
  /// out(i, j) = k(x_i, y_j) − f_i − g_j.
  void block(const Rows<T>& x, const double* f, const Rows<T>& y, const double* g,
             Eigen::Ref<Matrix<T>> out) const;

  Kernel kernel_;
  Rows<T> rows_;
  bool differences_;      // all squared distances from differences
  Vector<double> falls_;  // k(x_i, c) − k(c, c)
  double peak_ = 0;       // k(c, c)
  TileError error_, likely_error_;
};

}  // namespace mercer
