#pragma once
// What is certain of the eigenvalues of a kernel matrix, and what must hold before they are
// reported.
//
// With B = UKU (U = diag(√w)) and the projector P = I − uuᵀ/Σw the matrix is A = PBP. What was
// computed differs from it in 2-norm by no more than
//
//     δ = relative_error·‖B‖_F + absolute_error·Σw        entries of K, as the tiles state it
//       + (min(N, 8√N) + 16)·u·‖B‖_F                      sums of N products, centring
//
// with u = 2⁻⁵³. Sums of N rounded numbers are off by N·u at most; by more than 8√N·u with a
// probability below 1e-13 (Higham and Mary, SISC 41, 2019).

#include "operators/kernel_matrix.hpp"
#include "operators/tiles.hpp"

#include <mercer/fit.hpp>

#include <algorithm>
#include <string>
#include <type_traits>

namespace mercer {

/// Where a kernel matrix comes from, for messages; and whether a theorem has it positive
/// semi-definite.
struct KernelOrigin {
  std::string what;  ///< "the kernel rbf(gamma=1)"
  bool valid = false;
  /// For matrices that others have computed: how far below 0 rounding may bring an eigenvalue.
  double noise = 0;
};

/// Residual and rounding together may reach this much of the largest eigenvalue. The bound on the
/// rounding of K is a worst case, some hundred times what is seen, so it may be ten times what the
/// residual has to reach; float rows have no more than seven digits themselves.
template <class T>
double allowed_error(const FitOptions& options) {
  return std::is_same_v<T, float> ? std::max(options.tolerance, 1e-5) : 10 * options.tolerance;
}

/// δ above.
template <class T>
double matrix_rounding(const Tiles<T>& tiles, double plain_squares, double weight);

/// Refuses a matrix with a negative eigenvalue; `origin` has the words.
[[noreturn]] void refuse_indefinite(const KernelOrigin& origin, Index rows, double smallest,
                                    double largest);
/// The same for two rows with k_ij² > k_ii·k_jj, when that is more than noise.
void refuse_minor(const KernelOrigin& origin, const BadMinor& minor, double noise);

/// λ₁ ≤ trace and Σλ ≤ trace, up to `slack` for each eigenvalue.
void require_within_trace(const KernelOrigin& origin, const Vector<double>& eigenvalues,
                          double trace, double slack, Index rows);

/// The eigenvalues, how far the computed matrix may be off, and how far a larger one may have been
/// missed: `ceiling` bounds every eigenvalue beside those of the pairs.
Certificate certified(const Vector<double>& eigenvalues, const Vector<double>& residuals,
                      double ceiling, double rounding, double confidence);

}  // namespace mercer
