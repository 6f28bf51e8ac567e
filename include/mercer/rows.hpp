#pragma once
/// \file
/// `Rows<T>`: a borrowed block of rows, dense or sparse. Copying it copies pointers.
///
///     mercer::Matrix<double> x = …;
///     mercer::Rows<double> all = x;                // borrows x
///     mercer::Rows<double> head = all.middle(0, 10);
///
///     Eigen::SparseMatrix<double, Eigen::RowMajor> s = …;
///     mercer::Csr<double> csr = mercer::Csr<double>::from(s);
///     mercer::Rows<double> sparse = csr;           // borrows csr

#include <mercer/matrix.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace mercer {

/// Borrowed compressed sparse rows: row i holds the entries offsets[i] … offsets[i+1]−1.
/// Columns ascend within a row and occur once.
template <class T>
struct CsrView {
  const std::int64_t* offsets = nullptr;
  const std::int32_t* columns = nullptr;
  const T* values = nullptr;
};

/// Owned compressed sparse rows.
template <class T>
struct Csr {
  Index cols = 0;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> columns;
  std::vector<T> values;

  Index rows() const { return static_cast<Index>(offsets.size()) - 1; }

  /// Copies any Eigen sparse matrix.
  template <class Sparse>
  static Csr from(const Sparse& matrix);
};

template <class T>
class Rows {
 public:
  Rows() = default;

  /// Borrows a row-major matrix.
  Rows(const Matrix<T>& x) : Rows(x.data(), x.rows(), x.cols(), x.cols()) {}
  Rows(const MatrixRef<T>& x) : Rows(x.data(), x.rows(), x.cols(), x.outerStride()) {}
  Rows(const MatrixView<T>& x) : Rows(x.data(), x.rows(), x.cols(), x.outerStride()) {}
  Rows(const T* data, Index rows, Index cols, Index stride)
      : rows_(rows), cols_(cols), data_(data), stride_(stride) {}

  /// Borrows sparse rows.
  Rows(const Csr<T>& x)
      : Rows(CsrView<T>{x.offsets.data(), x.columns.data(), x.values.data()}, x.rows(), x.cols) {}
  Rows(const CsrView<T>& csr, Index rows, Index cols) : rows_(rows), cols_(cols), csr_(csr) {}

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  bool sparse() const { return csr_.offsets != nullptr; }

  /// Stored entries: rows·cols when dense.
  Index entries() const { return sparse() ? csr_.offsets[rows_] - csr_.offsets[0] : rows_ * cols_; }

  /// The dense block; only when `!sparse()`.
  MatrixView<T> dense() const {
    return MatrixView<T>(data_, rows_, cols_, Eigen::OuterStride<>(stride_));
  }
  const T* row(Index i) const { return data_ + i * stride_; }
  Index stride() const { return stride_; }  ///< from one row to the next

  /// The sparse block; only when `sparse()`.
  const CsrView<T>& csr() const { return csr_; }

  /// `count` rows from `first` on.
  Rows middle(Index first, Index count) const {
    Rows part = *this;
    part.rows_ = count;
    if (sparse()) part.csr_.offsets += first;
    else part.data_ += first * stride_;
    return part;
  }

 private:
  Index rows_ = 0;
  Index cols_ = 0;
  const T* data_ = nullptr;
  Index stride_ = 0;
  CsrView<T> csr_;
};

template <class T>
template <class Sparse>
Csr<T> Csr<T>::from(const Sparse& matrix) {
  const Eigen::Index rows = matrix.rows();
  Csr out;
  out.cols = matrix.cols();
  std::vector<std::vector<std::pair<std::int32_t, T>>> lists(static_cast<std::size_t>(rows));
  for (Eigen::Index o = 0; o < matrix.outerSize(); ++o)
    for (typename Sparse::InnerIterator it(matrix, o); it; ++it)
      lists[static_cast<std::size_t>(it.row())].emplace_back(static_cast<std::int32_t>(it.col()),
                                                             static_cast<T>(it.value()));
  for (const auto& list : lists) {
    for (const auto& [column, value] : list) {
      out.columns.push_back(column);
      out.values.push_back(value);
    }
    out.offsets.push_back(static_cast<std::int64_t>(out.values.size()));
  }
  return out;
}

}  // namespace mercer
