#pragma once
// From the bytes of a NPY file to numbers.

#include "data/npy_header.hpp"

#include <mercer/source.hpp>

#include <vector>

namespace mercer {

/// The layout of rows in memory or in a file: cell (r, c) at data + r·row_stride + c·col_stride.
struct NpyCells {
  const char* data = nullptr;
  NpyType type;
  std::size_t row_stride = 0;
  std::size_t col_stride = 0;
};

/// out(r, j) = cell (first + r, columns[j]), or cell (first + r, j) when `columns` is null.
/// `out` is contiguous, `width` numbers a row.
template <class T>
void npy_gather(const NpyCells& cells, Index first, Index rows, const Index* columns, Index width,
                T* out);

double npy_number(const NpyCells& cells, Index row, Index column);

/// Appends the number in its shortest form that reads back exactly.
void npy_text(const NpyCells& cells, Index row, Index column, TextColumn& out);

}  // namespace mercer
