#pragma once
// Eigenpairs of a symmetric matrix in memory.

#include <mercer/matrix.hpp>

namespace mercer {

/// Eigenpairs, largest first, each with its residual. Every interval
/// [values[i] − residuals[i], values[i] + residuals[i]] holds an eigenvalue.
struct Eigenpairs {
  Vector<double> values;
  Matrix<double> vectors;    ///< rows, orthonormal
  Vector<double> residuals;  ///< ‖A q − μ q‖
};

/// The `k` largest eigenpairs of the symmetric matrix given by its upper triangle.
/// Throws `Errc::not_converged` when a residual exceeds tolerance·|μ₁|.
/// Cost: 4/3·n³ flops for the reduction, 2·n²·k for the vectors and as much for the residuals.
Eigenpairs dense_eigenpairs(const Matrix<double>& a, Index k, double tolerance, int threads);

/// Throws `Errc::not_converged`, naming what was reached, unless every residual is at most
/// tolerance·scale.
void require_converged(const Vector<double>& residuals, double tolerance, double scale);

/// Makes the entry of largest magnitude of each row positive. Entries within 1e-6 of the largest
/// count as equal and the first of them decides, so that rounding cannot flip a sign.
void fix_signs(Matrix<double>& vectors);

}  // namespace mercer
