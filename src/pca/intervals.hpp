#pragma once
// Intervals that hold the eigenvalues of the problem itself: of the scatter matrix of the given
// numbers in exact arithmetic, not of the matrix as it was rounded.

#include "pca/linear/spectrum.hpp"
#include "pca/rounding.hpp"

#include <mercer/model.hpp>

namespace mercer {

/// Eigenvalues as they were found and all that is known of their errors.
struct FoundEigenvalues {
  const Vector<double>& values;     ///< descending
  const Vector<double>& residuals;  ///< ‖A q − μ q‖ of the matrix as it was formed
  RoundingBound matrix{};           ///< on the 2-norm of what rounding did to it
  /// Eigenvalues as squares of singular values: bound on what rounding did to the factor. The other
  /// two then count if they hold for its square (`checked`).
  RoundingBound factor{};
  bool squared_factor = false;
  bool checked = false;
};

/// The result of a solver; it refers to the spectrum.
inline FoundEigenvalues found_of(const Spectrum& s) {
  return {.values = s.eigenvalues,
          .residuals = s.errors,
          .matrix = s.rounding,
          .factor = s.of_factor,
          .squared_factor = s.by_qr,
          .checked = s.checked};
}

/// Intervals of the first k: by the proven bounds where these stay below tolerance·μ₁, otherwise by
/// the likely ones, and `confidence` says so.
///
/// An interval [μ ± ‖r‖] holds an eigenvalue, but those of a cluster may share one: pairs whose
/// intervals meet are taken together, and hold as many eigenvalues as they are within the norm of
/// their common residual (Kahan; Parlett, The Symmetric Eigenvalue Problem, theorem 11.5.1). What
/// rounding did to the matrix moves each eigenvalue by its 2-norm at most (Weyl).
Certificate intervals_of(const FoundEigenvalues& found, Index k, double tolerance);

/// The largest residual and the rounding together, relative to the first value: what the tolerance
/// bounds. By the likely bounds, which are never more than the proven ones.
double uncertainty(const FoundEigenvalues& found, Index k);

/// Throws `Errc::not_converged`, with the number and a tolerance that would do, unless that is
/// within the tolerance.
void require_within(const FoundEigenvalues& found, Index k, double tolerance);

}  // namespace mercer
