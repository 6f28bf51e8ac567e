#pragma once
// Kernel ridge regression of rows on their scores: x̂ = x̄ + k(y, Y) (k(Y, Y) + αI)⁻¹ (X − x̄).

#include <mercer/preimage.hpp>

#include <string>

namespace mercer {

class RidgeMap {
 public:
  /// Learns from rows (n×d) with these scores (n×k). Takes n² doubles and n³/3 flops.
  RidgeMap(Matrix<double> scores, const Matrix<double>& rows, const PreImageOptions& options);

  /// Single-threaded.
  Matrix<double> operator()(const Matrix<double>& scores) const;
  /// "ridge(rbf(gamma=0.5), alpha=0.01)"
  std::string text() const;

 private:
  Kernel kernel_;
  double alpha_;
  Matrix<double> scores_;
  Matrix<double> weights_;  // d×n
  Vector<double> mean_;
};

}  // namespace mercer
