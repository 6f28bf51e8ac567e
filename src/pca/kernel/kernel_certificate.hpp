#pragma once
// What is certain of the eigenvalues of a kernel matrix, and what must hold before they are
// reported.
//
// With B = UKU (U = diag(√w)) and the projector P = I − uuᵀ/Σw the matrix is A = PBP. What was
// computed differs from it in 2-norm by no more than
//
//     δ = the error of the entries of K, as the tiles state it (kernels/tile_error.hpp)
//       + (N + 16)·u·‖|B|‖₂                               sums of N products, centring
//
// with u = 2⁻⁵³. ‖|B|‖₂ is at most ‖B‖_F, and where no entry is negative at most the largest entry
// of Kw. That is the worst case; where rounding errors are independent, sums of N numbers are off
// by 10.1√N·u, and entries by less too. The likely bound is used where the worst case exceeds the
// tolerance, and the certificate says so.

#include "operators/kernel_matrix.hpp"
#include "operators/tiles.hpp"
#include "pca/rounding.hpp"

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
  bool equal_rows = false;  ///< all rows are the same, number by number
  /// ε of the numbers that scores are computed with, where the kernel's own are finer; else 0.
  double score_epsilon = 0;
  bool single = false;    ///< the rows are in single precision
  bool weighted = false;  ///< the rows have weights
};

/// Refuses rows on which the kernel has no variance.
[[noreturn]] void refuse_constant(const KernelOrigin& origin);

/// Residual and rounding together may reach this much of the largest eigenvalue: float rows have no
/// more than seven digits themselves.
template <class T>
double allowed_error(const FitOptions& options) {
  return std::is_same_v<T, float> ? std::max(options.tolerance, 1e-5) : options.tolerance;
}

/// δ above, for weights w, ‖B‖_F² and the means Kw/Σw.
template <class T>
RoundingBound matrix_rounding(const Tiles<T>& tiles, const Vector<double>& w, double plain_squares,
                              const Vector<double>& mean);

/// Rejects a matrix with a negative eigenvalue; `origin` is for the message.
[[noreturn]] void refuse_indefinite(const KernelOrigin& origin, Index rows, double smallest,
                                    double largest);
/// The same for two rows with k_ij² > k_ii·k_jj, when that is more than noise.
void refuse_minor(const KernelOrigin& origin, const BadMinor& minor, double noise);

/// λ₁ ≤ trace and Σλ ≤ trace, up to `slack` for each eigenvalue.
void require_within_trace(const KernelOrigin& origin, const Vector<double>& eigenvalues,
                          double trace, double slack, Index rows);

/// The eigenvalues, how far the computed matrix may be off, and how far a larger one may have been
/// missed: `ceiling` bounds every eigenvalue beside those of the pairs, with `confidence`. The
/// worst case of rounding where that is within what is allowed, else what is likely.
Certificate certified(const Vector<double>& eigenvalues, const Vector<double>& residuals,
                      double ceiling, const RoundingBound& rounding, double confidence,
                      double allowed);

}  // namespace mercer
