#pragma once
// Quantiles of the χ² and F distributions, for any positive degrees of freedom.

namespace mercer {

/// P(a, x) = γ(a, x)/Γ(a), a > 0, x ≥ 0; and 1 − P, with its own digits.
double gamma_p(double a, double x);
double gamma_q(double a, double x);

/// I_x(a, b), the regularised incomplete beta function, 0 ≤ x ≤ 1.
double beta_i(double a, double b, double x);

/// Where a share `level` of the distribution lies below; 0 < level < 1.
double chi2_quantile(double level, double degrees);
double f_quantile(double level, double degrees1, double degrees2);

}  // namespace mercer
