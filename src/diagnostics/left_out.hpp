#pragma once
// T² and SPE of rows of a fit as a fit without them would have them.

#include <mercer/matrix.hpp>

namespace mercer {

/// Rows of a fit in the coordinates of its components.
struct FittedRows {
  Vector<double> eigenvalues;  ///< μ of the directions, descending; the first `components` count
  Matrix<double> squares;      ///< n×m, squared coordinates of each row along these
  Index components = 0;        ///< k
  /// What is beyond the m directions: its squared length in each row, and the Rayleigh quotient of
  /// the scatter matrix along it. Empty: nothing is.
  Vector<double> rest, rest_eigenvalue;
  double rows = 0;  ///< N of the fit
  bool centered = true;
  int ddof = 1;
};

struct LeftOutScores {
  Vector<double> t2, spe;
};

/// Leaving out a row takes ρzzᵀ off the scatter matrix Λ, ρ = N/(N − 1), and moves the mean away
/// from the row: with μ' the roots of ρ Σ z²/(Λ − μ') = 1 and S = Σ z²/(Λ − μ')², the squared score
/// of the row along the component of μ' is 1/S. Exact where all directions are there; O(nkm).
LeftOutScores left_out_scores(const FittedRows& fitted, int threads);

}  // namespace mercer
