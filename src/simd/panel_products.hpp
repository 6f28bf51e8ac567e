#pragma once
// Many rows against a panel of a few vectors, with the instructions this machine has (found at run
// time).
//
// BLAS packs the rows before it multiplies; with so few vectors that costs more than the product.
// Here rows are read in place. A panel holds `panel_width` vectors: entry j of all of them side
// by side, then entry j + 1.

#include "simd/symmetric_product.hpp"

#include <mercer/matrix.hpp>

#include <cstdint>
#include <memory>

namespace mercer {

/// Rows come in tiles of this many; a caller who has fewer fills up with zeros.
constexpr Index tile_rows = 8;

/// y = Xv, or y += that. X: rows×cols, rows `stride` apart, `rows` a multiple of tile_rows; v: a panel of `cols`
/// entries, y: one of `rows`.
void times_panel(const double* x, Index rows, Index cols, Index stride, const double* v, double* y,
                 bool add = false);

/// z += Xᵀy.
void add_transposed_times_panel(const double* x, Index rows, Index cols, Index stride,
                                const double* y, double* z);

/// Sparse rows, and how many panels they are multiplied with, one `apart` numbers after the other.
template <class T>
struct SparsePanels {
  const T* values;
  const std::int32_t* columns;
  const std::int64_t* offsets;  ///< the entries of row i are offsets[i] … offsets[i+1] − 1
  Index rows;
  const double* weights;  ///< null: all 1
  Index panels, apart;
};

/// z += Σ w·x(xᵀv) over the rows x, in every panel.
template <class T>
void add_sparse_products(const SparsePanels<T>& rows, const double* v, double* z);

/// Panels of zeros in which no entry crosses a cache line: sparse rows access single entries, and
/// an entry across two lines costs twice.
class PanelBuffer {
 public:
  PanelBuffer() = default;
  explicit PanelBuffer(Index entries);
  double* data() const { return data_.get(); }
  bool empty() const { return !data_; }
  Eigen::Map<Matrix<double>> view() const {
    return Eigen::Map<Matrix<double>>(data_.get(), entries_, panel_width);
  }

 private:
  struct Free {
    void operator()(double* data) const;
  };
  Index entries_ = 0;
  std::unique_ptr<double[], Free> data_;
};

}  // namespace mercer
