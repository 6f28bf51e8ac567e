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
  const BlasThreads one(1);  // the bits of a product depend on how many share it
  auto [values, vectors] = symmetric_eigen(a, k, threads);
  Eigenpairs out{std::move(values), std::move(vectors), Vector<double>(k)};

  Matrix<double> full = a;
  full.triangularView<Eigen::StrictlyLower>() = full.transpose();
  Matrix<double> image(k, n);
  constexpr Index panel = 64;
  // Threads cost more than they bring in a small problem.
  parallel_for((k + panel - 1) / panel, n < 512 ? 1 : threads, [&](Index p) {
    const Index i = p * panel;
    multiply(out.vectors.row(i).data(), std::min(panel, k - i), n, n, full.data(), n, n,
             image.row(i).data(), n);
  });
  for (Index i = 0; i < k; ++i)
    out.residuals[i] = (image.row(i) - out.values[i] * out.vectors.row(i)).stableNorm();
  if (k > 0) require_converged(out.residuals, tolerance, std::abs(out.values[0]));
  return out;
}

void require_converged(const Vector<double>& residuals, double tolerance, double scale) {
  const double worst = residuals.size() > 0 ? residuals.maxCoeff() : 0.0;
  // NaN must fail too.
  require(
      worst <= tolerance * scale, Errc::not_converged,
      "the eigenpairs reached a residual of {:.1e}, not the tolerance {:.1e}; {}scale the data",
      worst / scale, tolerance,
      worst < 0.05 * scale ? fmt::format("use `tolerance={:.0e}`, or ", 2 * worst / scale) : "");
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
