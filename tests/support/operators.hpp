#pragma once
// Symmetric operators for tests of eigenvalue solvers. Their arithmetic is BLAS's: Eigen's takes
// minutes when it is not optimised.

#include "linalg/blas.hpp"
#include "linalg/lapack.hpp"
#include "support/random.hpp"

#include <mercer/operator.hpp>

namespace mercer::test {

inline Matrix<double> product(const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> c(a.rows(), b.cols());
  multiply(a.data(), a.rows(), a.cols(), a.cols(), b.data(), b.cols(), b.cols(), c.data(),
           c.cols());
  return c;
}

/// A matrix that is there.
struct DenseOperator {
  Matrix<double> a;
  Index size() const { return a.rows(); }
  void apply(const Matrix<double>& v, Matrix<double>& out) const { out = product(a, v); }
};

/// A matrix that is there in single precision, multiplied in single precision.
struct FloatOperator {
  Matrix<float> a;
  Index size() const { return a.rows(); }
  void apply(const Matrix<double>& v, Matrix<double>& out) const {
    out = (a * v.cast<float>()).cast<double>();
  }
};

/// QᵀΛQ, with a random rotation.
inline DenseOperator with_spectrum(const Vector<double>& values, std::uint64_t seed) {
  const Matrix<double> x = Random(seed).normal(values.size(), values.size());
  const Matrix<double> q = symmetric_eigen(x + x.transpose(), values.size()).vectors;
  return {product(q.transpose(), values.asDiagonal() * q)};
}

}  // namespace mercer::test
