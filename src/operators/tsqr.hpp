#pragma once
// The triangular factor of centred rows, streamed: RᵀR = Σ w (x − m)(x − m)ᵀ.
//
// Its singular values are those of the rows to working precision, where the scatter matrix squares
// the condition number and loses every σ below √ε·σ₁. Each thread reduces its own rows (TSQR);
// the factors meet at the end. Cost: about 2·N·d² flops, one read of the data.

#include "linalg/lapack.hpp"

#include <mercer/rows.hpp>

#include <memory>
#include <vector>

namespace mercer {

class StreamedQr {
 public:
  /// `mean`: zeros for rows that are not centred. NaN cells count as lying on it if so asked.
  StreamedQr(Vector<double> mean, bool nan_on_mean, int threads);

  template <class T>
  void add(const Rows<T>& rows, const double* weights = nullptr);

  /// R, d×d upper triangular.
  Matrix<double> factor();

 private:
  Vector<double> mean_;
  bool nan_on_mean_;
  int blas_threads_;
  std::vector<Triangle> parts_;
};

}  // namespace mercer
