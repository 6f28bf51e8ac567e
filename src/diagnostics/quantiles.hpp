#pragma once
// Tails of the χ² and quantiles of the F distribution, for any positive degrees of freedom.

namespace mercer {

/// Q(a, x) = Γ(a, x)/Γ(a), a > 0, x ≥ 0.
double gamma_q(double a, double x);

/// I_x(a, b), the regularised incomplete beta function, 0 ≤ x ≤ 1.
double beta_i(double a, double b, double x);

/// Where a share `level` of the distribution lies below; 0 < level < 1.
double f_quantile(double level, double degrees1, double degrees2);

}  // namespace mercer
