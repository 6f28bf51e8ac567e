#include "solvers/dense.hpp"

#include "core/parallel.hpp"
#include "core/require.hpp"
#include "linalg/blas.hpp"
#include "linalg/lapack.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

Eigenpairs dense_eigenpairs(const Matrix<double>& a, Index k, double tolerance, int threads) {
  const Index n = a.rows();
  auto [values, vectors] = symmetric_eigen(a, k, threads);
  Eigenpairs out{std::move(values), std::move(vectors), Vector<double>(k)};

  Matrix<double> full = a;
  full.triangularView<Eigen::StrictlyLower>() = full.transpose();
  const BlasThreads one(1);
  constexpr Index strip = 64;  // columns of the image; whatever the threads, so that bits are too
  Matrix<double> image(k, n);
  parallel_for((n + strip - 1) / strip, n < 512 ? 1 : threads, [&](Index part) {
    const Index j = part * strip;
    multiply(out.vectors.data(), k, n, n, full.data() + j, std::min(strip, n - j), n,
             image.data() + j, n);
  });
  for (Index i = 0; i < k; ++i)
    out.residuals[i] = (image.row(i) - out.values[i] * out.vectors.row(i)).norm();
  if (k > 0) require_converged(out.residuals, tolerance, std::abs(out.values[0]));
  return out;
}

void require_converged(const Vector<double>& residuals, double tolerance, double scale) {
  const double worst = residuals.size() > 0 ? residuals.maxCoeff() : 0.0;
  // NaN must fail too.
  require(worst <= tolerance * scale, Errc::not_converged,
          "the eigenpairs reached a residual of {:.1e}, not the tolerance {:.1e}; loosen the "
          "tolerance or scale the data",
          worst / scale, tolerance);
}

void fix_signs(Matrix<double>& vectors) {
  for (Index i = 0; i < vectors.rows(); ++i) {
    auto row = vectors.row(i);
    const double largest = row.cwiseAbs().maxCoeff();
    for (Index j = 0; j < row.size(); ++j) {
      if (std::abs(row[j]) < largest * (1 - 1e-6)) continue;
      if (row[j] < 0) row = -row;
      break;
    }
  }
}

}  // namespace mercer
