#pragma once
// Some rows of many, as a copy; and which ones, evenly spaced.

#include <mercer/rows.hpp>

#include <algorithm>
#include <vector>

namespace mercer {

/// At most `most` of n row numbers, evenly spaced, the first among them.
inline std::vector<Index> even_sample(Index n, Index most) {
  const Index count = std::min(n, most);
  std::vector<Index> rows(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) rows[static_cast<std::size_t>(i)] = i * n / count;
  return rows;
}

/// Copied rows, dense or sparse as they were, as numbers of type T.
template <class T>
class PickedRows {
 public:
  template <class From>
  PickedRows(const Rows<From>& x, const std::vector<Index>& rows) : sparse_(x.sparse()) {
    if (!sparse_) {
      dense_.resize(static_cast<Index>(rows.size()), x.cols());
      for (std::size_t i = 0; i < rows.size(); ++i)
        dense_.row(static_cast<Index>(i)) = x.dense().row(rows[i]).template cast<T>();
      return;
    }
    csr_.cols = x.cols();
    const CsrView<From>& from = x.csr();
    for (const Index row : rows) {
      csr_.columns.insert(csr_.columns.end(), from.columns + from.offsets[row],
                          from.columns + from.offsets[row + 1]);
      csr_.values.insert(csr_.values.end(), from.values + from.offsets[row],
                         from.values + from.offsets[row + 1]);
      csr_.offsets.push_back(static_cast<std::int64_t>(csr_.values.size()));
    }
  }

  Rows<T> rows() const { return sparse_ ? Rows<T>(csr_) : Rows<T>(dense_); }

 private:
  bool sparse_;
  Matrix<T> dense_;
  Csr<T> csr_;
};

}  // namespace mercer
