#pragma once
// Symmetric operators for tests of eigenvalue solvers.

#include "support/random.hpp"

#include <mercer/operator.hpp>

namespace mercer::test {

/// A matrix that is there.
struct DenseOperator {
  Matrix<double> a;
  Index size() const { return a.rows(); }
  void apply(const Matrix<double>& v, Matrix<double>& out) const { out.noalias() = a * v; }
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
  const Matrix<double> q = Random(seed).rotation(values.size());
  return {q.transpose() * values.asDiagonal() * q};
}

}  // namespace mercer::test
