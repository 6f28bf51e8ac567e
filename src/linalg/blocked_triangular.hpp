#pragma once
// Triangular factors whose rounding has a bound that hardly grows with their order: inner products
// are summed in panels, so a sum of m terms has an error of (panel + m/panel)·u instead of m·u.

#include "core/monitor.hpp"

#include <mercer/matrix.hpp>

#include <vector>

namespace mercer {

/// Columns of a panel: enough for BLAS, few enough for the bound.
constexpr Index panel_columns = 64;
/// Where the panel after the one from `from` on begins: 1, 4, 16, 64, 128, 192, … The first columns
/// of a pivoted factor are the largest, so they are in narrow panels.
constexpr Index next_panel(Index from) {
  return from == 0 ? 1 : from < panel_columns ? 4 * from : from + panel_columns;
}

/// γ with |computed Σ a_j b_j − Σ a_j b_j| ≤ γ·Σ|a_j b_j| for m terms summed in panels, in any
/// order within a panel; `more` further roundings of the result.
double panel_error(Index m, Index more = 4);

/// X ← X L⁻ᵀ for a lower triangular L, m×m, and X n×m, panel by panel. Each row x̂ that comes out
/// solves a nearby system exactly: L x̂ + e = x. With the panels L_p and x̂_p, p = 0, 1, …, of w_p
/// columns, |e| ≤ u·Σ_p (w_p + p + 4)·|L_p||x̂_p|: what is in panel p is rounded w_p times in its
/// own sum, and is in what remains of x while the p panels before it are taken off.
/// Single-threaded.
void solve_in_panels(double* x, Index n, Index x_stride, const double* l, Index m, Index l_stride);

/// Cholesky factor with the largest remaining diagonal entry first (LAPACK's pstrf).
struct PivotedCholesky {
  Index rank = 0;            ///< pivots above `stop`
  std::vector<Index> order;  ///< row of the factor → row of the matrix
};

/// `a`, symmetric, is given by its lower triangle, which becomes L with LLᵀ = A(order, order) up to
/// rounding in its first `rank` rows; what lies above it is of no use.
/// Ends when no remaining diagonal entry exceeds `stop`. Single-threaded.
PivotedCholesky pivoted_cholesky(Matrix<double>& a, double stop);

/// LLᵀ − A, to within u·(|LLᵀ − A| + |L||Lᵀ|/8): L, of which the lower triangle counts, is split
/// into leading digits, whose products are summed without rounding, and the rest. Single-threaded,
/// m×m. Reports 2m rows.
Matrix<double> factor_error(const Eigen::Ref<const Matrix<double>>& l, const Matrix<double>& a,
                            SharedReporter& report);

}  // namespace mercer
