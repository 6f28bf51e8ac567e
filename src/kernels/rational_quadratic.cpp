#include "kernels/width.hpp"

#include <cmath>

namespace mercer {

namespace {

constexpr TextParameter rational_quadratic_parameters[] = {{"alpha", domains::positive, 1},
                                                           {"length", domains::positive}};

}  // namespace

extern const KernelRow rational_quadratic_row = {
    .text = {"rational_quadratic", rational_quadratic_parameters},
    .formula = "(1 + |x-y|^2/(2 alpha length^2))^-alpha",
    .notes = "a mixture of rbf of many widths; without a length: median(|x-y|)",
    .sklearn = "RationalQuadratic(alpha, length_scale = length)",
    .mlpack = "cauchy (alpha=1; bandwidth^2 = 2 length^2)",
    .kernlab = "",
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
  return Kernel(make_leaf(rational_quadratic_row,
                          {r.alpha, given_or_open(rational_quadratic_row, 1, r.length)}));
}

}  // namespace mercer
