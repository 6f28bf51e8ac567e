#pragma once
/// \file
/// `Rows<T>`: a block of rows, dense or sparse, of `float` or `double`. Copying it copies pointers.
///
///     mercer::Matrix<double> x = …;
///     mercer::Rows<double> all = x;                // borrows x
///     mercer::Rows<double> head = x.topRows(10);   // borrows x
///     Eigen::MatrixXd columns = …;
///     mercer::Rows<double> copied = columns;       // column-major: copied once, and kept
///
///     Eigen::SparseMatrix<double, Eigen::RowMajor> s = …;
///     mercer::Csr<double> csr = mercer::Csr<double>::from(s);
///     mercer::Rows<double> sparse = csr;           // borrows csr

#include <mercer/matrix.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
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
  using Scalar = T;

  Index cols = 0;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> columns;
  std::vector<T> values;

  Index rows() const { return static_cast<Index>(offsets.size()) - 1; }

  /// Copies any Eigen sparse matrix.
  template <class Sparse>
  static Csr from(const Sparse& matrix);
};

namespace detail {

template <class X>
inline constexpr bool const_ref = false;
template <class M, int Options, class Stride>
inline constexpr bool const_ref<Eigen::Ref<const M, Options, Stride>> = true;

/// Rows that lie one after the other in memory, each in one piece.
template <class X>
inline constexpr bool row_major =
    X::IsRowMajor && (X::Flags & Eigen::DirectAccessBit) != 0 && X::InnerStrideAtCompileTime == 1;

/// A temporary that takes its numbers with it when it goes.
template <class X>
inline constexpr bool holds_numbers = std::same_as<X, typename X::PlainObject> || const_ref<X>;

}  // namespace detail

template <Real T>
class Rows {
 public:
  using Scalar = T;

  Rows() = default;

  /// Borrows what lies row by row: a `Matrix<T>`, its `topRows(3)`, a `Map`. Anything else (an
  /// `Eigen::MatrixXd`, a product, a temporary matrix) is copied once, and the copy lives as long
  /// as the last `Rows` of it. A view of a temporary, `f().topRows(3)`, ends with the temporary.
  template <class X>
  requires DenseExpression<std::remove_cvref_t<X>> &&
      std::same_as<typename std::remove_cvref_t<X>::Scalar, T>
      Rows(X&& x) {  // NOLINT: a matrix is rows
    using E = std::remove_cvref_t<X>;
    constexpr bool lasts = std::is_lvalue_reference_v<X> || !detail::holds_numbers<E>;
    if constexpr (detail::row_major<E> && lasts) {
      *this = Rows(x.data(), x.rows(), x.cols(), x.outerStride());
    } else {
      auto copy = std::make_shared<const Matrix<T>>(std::forward<X>(x));
      *this = Rows(copy->data(), copy->rows(), copy->cols(), copy->cols());
      owner_ = std::move(copy);
    }
  }
  Rows(const T* data, Index rows, Index cols, Index stride)
      : rows_(rows), cols_(cols), data_(data), stride_(stride) {}

  /// Borrows sparse rows; temporary ones are kept.
  Rows(const Csr<T>& x)  // NOLINT
      : Rows(CsrView<T>{x.offsets.data(), x.columns.data(), x.values.data()}, x.rows(), x.cols) {}
  Rows(Csr<T>&& x) {  // NOLINT
    auto kept = std::make_shared<const Csr<T>>(std::move(x));
    *this = Rows(*kept);
    owner_ = std::move(kept);
  }
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
  std::shared_ptr<const void> owner_;  // of a copy
};

/// What `Rows` can be made of: functions of this library take it as it is.
template <class X>
concept RowsLike = requires {
  typename X::Scalar;
}
&&Real<typename X::Scalar> && (DenseExpression<X> || std::same_as<X, Csr<typename X::Scalar>>);

/// One weight per row, borrowed, as if rows were repeated; empty: each counts once. A `std::span`
/// that Eigen's vectors convert to as well.
class Weights : public std::span<const double> {
 public:
  using std::span<const double>::span;
  Weights(std::span<const double> weights) : std::span<const double>(weights) {}  // NOLINT
  template <DenseExpression X>
  requires std::same_as<typename X::Scalar, double> &&(X::IsVectorAtCompileTime != 0) &&
      ((X::Flags & Eigen::DirectAccessBit) != 0) &&
      (X::InnerStrideAtCompileTime == 1) Weights(const X& x)  // NOLINT
      : std::span<const double>(x.data(), static_cast<std::size_t>(x.size())) {}
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
