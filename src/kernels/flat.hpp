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

#include "kernels/entry_error.hpp"

#include <mercer/kernel.hpp>
#include <mercer/rows.hpp>

#include <optional>
#include <vector>

namespace mercer {

template <class T>
class FlatKernel {
 public:
  /// About the mean of the rows, or about the first of them where they are sparse. Nothing when the
  /// kernel has no peak, or is not so flat that values about c are more exact. The rows stay with
  /// the caller.
  static std::optional<FlatKernel> of(const Kernel& kernel, const Rows<T>& rows);

  /// out = the block of k_c that begins at (i, j).
  void tile(Index i, Index j, Eigen::Ref<Matrix<T>> out) const;
  /// Columns of these rows.
  Matrix<T> columns(const std::vector<Index>& chosen, int threads) const;
  /// k_c(x_i, x_i).
  Vector<double> diagonal() const { return -2 * falls_; }
  /// k(x_i, x_j) = k_c(x_i, x_j) + offset_i + offset_j.
  Vector<double> offset() const { return (falls_.array() + peak_ / 2).matrix(); }
  const EntryError& error() const { return error_; }

 private:
  FlatKernel(Kernel kernel, const Rows<T>& rows) : kernel_(std::move(kernel)), rows_(rows) {}
  /// out(i, j) = k(x_i, y_j) − f_i − g_j.
  void block(const Rows<T>& x, const double* f, const Rows<T>& y, const double* g,
             Eigen::Ref<Matrix<T>> out) const;

  Kernel kernel_;
  Rows<T> rows_;
  Vector<double> falls_;  // k(x_i, c) − k(c, c)
  double peak_ = 0;       // k(c, c)
  EntryError error_;
};

}  // namespace mercer
