#pragma once
/// \file
/// `SymmetricOperator`: the interface of a matrix for an iterative eigenvalue solver, its size and
/// its product with a block of vectors. The matrix itself need not be stored.
///
///     // A = D + u uᵀ, in 3·n numbers instead of n²
///     struct DiagonalPlusOne {
///       mercer::Vector<double> d, u;
///       mercer::Index size() const { return d.size(); }
///       void apply(const mercer::Matrix<double>& v, mercer::Matrix<double>& out) {
///         out.noalias() = d.asDiagonal() * v;      // v and out are n×b, one vector per column
///         out.noalias() += u * (u.transpose() * v);
///       }
///     };
///     static_assert(mercer::SymmetricOperator<DiagonalPlusOne>);
///
/// `apply` receives a few dozen vectors at a time, so that it can use a matrix product: the cost is
/// dominated by the pass over the matrix.

#include <mercer/matrix.hpp>

#include <concepts>

namespace mercer {

template <class A>
concept SymmetricOperator = requires(A& a, const Matrix<double>& v, Matrix<double>& out) {
  { a.size() } -> std::convertible_to<Index>;
  a.apply(v, out);  ///< out = A·v; `out` comes in with the shape of `v`, its content undefined
};

/// A matrix of inner products of centred rows in some space, as kernel PCA decomposes it: A = JKJ
/// with J = I − 11ᵀ/N. `fit_operator.hpp` makes a model of it. Both are asked after the first
/// `apply`.
template <class A>
concept CenteredOperator = SymmetricOperator<A> && requires(A& a) {
  { a.trace() } -> std::convertible_to<double>;         ///< of A: the total variance, times N
  { a.mean() } -> std::convertible_to<Vector<double>>;  ///< K1/N; empty: not known
};

}  // namespace mercer
