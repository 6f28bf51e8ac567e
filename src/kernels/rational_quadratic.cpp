#include "core/require.hpp"
#include "kernels/row.hpp"

#include <cmath>

namespace mercer {

extern const KernelRow rational_quadratic_row = {
    .name = "rational_quadratic",
    .formula = "(1 + |x-y|^2/(2 alpha length^2))^-alpha",
    .notes = "a mixture of rbf of many widths; without a length: median(|x-y|)",
    .sklearn = "RationalQuadratic(alpha, length_scale = length)",
    .mlpack = "cauchy (alpha=1; bandwidth^2 = 2 length^2)",
    .kernlab = "",
    .parameters =
        [] {
          return std::vector<Parameter>{{"alpha", 1}, {"length", open_value}};
        },
    .form =
        [](std::span<const double> v) {
          const double a = 1 / (2 * v[0] * v[1] * v[1]);
          return v[0] == 1 ? Form{Ingredient::distances, {Function::reciprocal, a}}
                           : Form{Ingredient::distances, {Function::rational, a, v[0]}};
        },
    .valid = valid_always,
    .choose = [](MedianDistances& medians) { return std::sqrt(medians.squared()); },
};

Kernel kernels::rational_quadratic(const RationalQuadratic& r) {
  require(!r.length || *r.length > 0, Errc::bad_option,
          "rational_quadratic: length = {} must be greater than 0", r.length.value_or(0));
  return Kernel(make_leaf(rational_quadratic_row, {r.alpha, r.length.value_or(open_value)}));
}

}  // namespace mercer
