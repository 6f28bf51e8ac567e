#pragma once
/// \file
/// Matrix types: Eigen's, row-major, because a row is a sample.

#include <Eigen/Core>

#include <concepts>

namespace mercer {

/// The numbers that rows are made of.
template <class T>
concept Real = std::same_as<T, float> || std::same_as<T, double>;

using Index = Eigen::Index;

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

/// A borrowed row-major matrix whose rows may be further apart than their length.
template <class T>
using MatrixView = Eigen::Map<const Matrix<T>, Eigen::Unaligned, Eigen::OuterStride<>>;

/// Accepts any Eigen expression; row-major storage is borrowed, anything else is copied once.
template <class T>
using MatrixRef = Eigen::Ref<const Matrix<T>, Eigen::Unaligned, Eigen::OuterStride<>>;

namespace detail {
template <class D>
void dense_expression(const Eigen::MatrixBase<D>&);
}  // namespace detail

/// Any dense Eigen matrix, view or expression of `float` or `double`.
template <class X>
concept DenseExpression = requires(const X& x) {
  detail::dense_expression(x);
  requires Real<typename X::Scalar>;
};

}  // namespace mercer
