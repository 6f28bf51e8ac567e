#pragma once
// T² and SPE of rows of a fit as a fit without them would have them.

#include <mercer/matrix.hpp>
#include <mercer/progress.hpp>

#include <limits>

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
  double precision = std::numeric_limits<double>::epsilon();  ///< ε of the model's numbers
};

struct LeftOutScores {
  Vector<double> t2, spe;
};

/// Levels are decimal fractions: 0.95 · 20 is 19, whatever rounding makes of it.
Index level_rank(double level, Index rows);

/// What limits that are quantiles of left-out rows are to be multiplied by.
struct LimitFactors {
  double t2 = 1, spe = 1;
};

/// Left-out rows are as new ones are, but not independent of the limit: where a component owes its
/// place to a few rows, it is not there for a row of those that is left out, and it is for new rows
/// near them. The effect is measured on random halves of the rows: by what factor the limit of one
/// half has to be changed for the other half to be beyond it as often as the level states. The
/// logarithm of the factor falls as 1/N. `products`: inner products of some rows of the fit,
/// about any point where it is centred. Infinite where a component of a half depends on one row.
/// Throws `Errc::invalid_kernel` where a half has an eigenvalue below 0 by more than rounding.
LimitFactors factors_by_halves(const Matrix<double>& products, const FittedRows& fitted,
                               double level, const RunOptions& how);

/// Leaving out a row takes ρzzᵀ off the scatter matrix Λ, ρ = N/(N − 1), and moves the mean away
/// from the row: with μ' the roots of ρ Σ z²/(Λ − μ') = 1 and S = Σ z²/(Λ − μ')², the squared score
/// of the row along the component of μ' is 1/S. Exact where all directions are there; O(nkm).
LeftOutScores left_out_scores(const FittedRows& fitted, const RunOptions& how = {});

}  // namespace mercer
