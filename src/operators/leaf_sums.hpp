#pragma once
// Σ w(x−s) and Σ w(x−s)(x−s)ᵀ of leaves: what Moments adds up.
//
// A leaf consists of complete blocks. A block is centred, stays in the cache and is multiplied with
// itself by one thread; its products go on top of those of the blocks before it.

#include "simd/inner_products.hpp"

#include <mercer/rows.hpp>

#include <algorithm>

namespace mercer {

/// How rows of so many columns are cut. Nothing else enters.
struct Leaves {
  explicit Leaves(Index columns);

  Index columns;
  bool few;      ///< columns: our own product; otherwise BLAS
  bool tiled;    ///< many columns: threads share the d×d entries; otherwise the leaves
  Index stride;  ///< of a d×d sum
  Index block;   ///< rows
  Index start;   ///< rows whose mean becomes the shift, in complete blocks
  Index rows;    ///< of a leaf, in complete blocks
  int radix;     ///< of the tree over leaves
  Index sparse;  ///< rows of a leaf of sparse rows
};

/// The sums of a leaf, or of several.
struct LeafSum {
  Vector<double> first;   // Σ w(x−s)
  Matrix<double> second;  // Σ w(x−s)(x−s)ᵀ; upper triangle

  void clear(const Leaves& leaves) {
    first.setZero(leaves.columns);
    second.setZero(leaves.stride, leaves.stride);
  }
  void merge(const LeafSum& later) {
    first += later.first;
    for (Index i = 0; i < second.rows(); ++i) {
      const Index n = second.cols() - i;
      second.row(i).tail(n) += later.second.row(i).tail(n);
    }
  }
};

/// Where rows are shifted to.
struct LeafShift {
  const Vector<double>& shift;
  const double* missing = nullptr;  ///< x − shift of missing cells; null: NaN
};

/// Memory for a block.
class LeafRoom {
 public:
  explicit LeafRoom(const Leaves& leaves)
      : leaves_(leaves), block_(Matrix<double>::Zero(leaves.block, leaves.stride)) {}

  /// Adds rows that begin where a block begins.
  template <class T>
  void add(const Rows<T>& rows, const double* weights, const LeafShift& how, LeafSum& sum);

 private:
  const Leaves& leaves_;
  Matrix<double> block_;
  Vector<double> part_;
};

/// The same with threads that share the entries of the sum; where `tiled`.
template <class T>
void add_tiled(const Leaves& leaves, const Rows<T>& rows, const double* weights,
               const LeafShift& how, int threads, LeafSum& sum);

/// Adds products of sparse rows, which are not shifted, entry by entry. Each task owns a stripe of
/// the result, so that one does not depend on the number of threads.
template <class T>
void add_sparse_rows(const Rows<T>& rows, const double* weights, int threads, LeafSum& sum);

}  // namespace mercer
