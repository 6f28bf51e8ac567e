#pragma once
// Row weights whose squares a double cannot hold. Their scale is that of the eigenvalues and of
// nothing else: such a fit takes w·2^-e instead, with `ddof` = 0, beside which 1 is nothing.

#include "core/require.hpp"

#include <mercer/model.hpp>

#include <cmath>
#include <cstdlib>
#include <limits>

namespace mercer {

/// The e that brings weights of this sum near 1; 0 for weights that can be squared.
inline int weight_exponent(double total) {
  constexpr int ordinary = 256;
  const int exponent = total > 0 ? std::ilogb(total) : 0;
  return std::abs(exponent) <= ordinary ? 0 : exponent;
}

/// Throws `Errc::bad_data` for a sum of weights that overflows, or is too small for `ddof`.
inline void require_total_weight(double total, double ddof) {
  require(std::isfinite(total), Errc::bad_data,
          "the row weights add up to more than {:.2g}, the largest number; divide them by a "
          "constant",
          std::numeric_limits<double>::max());
  require(total > ddof, Errc::bad_data,
          "the row weights add up to {:g}; variances with `ddof={}` need more", total, ddof);
}

/// Makes the parts of a fit to w·2^-e those of a fit to w.
template <class T>
void restore_weights(ModelParts<T>& parts, int exponent, int ddof) {
  Report& report = parts.report;
  const double total = std::ldexp(report.weight, exponent);
  require_total_weight(total, ddof);
  const auto restore = [&](double& value) {
    value = std::ldexp(value, exponent);
    require(std::isfinite(value), Errc::bad_data,
            "the row weights add up to {:.1e}, and the eigenvalues to more than {:.2g}, the "
            "largest number; divide the weights by a constant",
            total, std::numeric_limits<double>::max());
  };
  for (double& value : parts.eigenvalues) restore(value);
  for (auto* side : {&report.certificate.low, &report.certificate.high})
    for (double& value : *side) restore(value);
  restore(report.certificate.rounding);
  if (report.approximation) {
    restore(report.approximation->below);
    restore(report.approximation->above);
  }
  report.weight = total;
  report.ddof = ddof;
}

}  // namespace mercer
