#include "kernels/width.hpp"

#include <cmath>

namespace mercer {

namespace {

constexpr TextParameter laplacian_parameters[] = {{"gamma", domains::positive, open_value, false,
                                                   false, "sigma",
                                                   [](double sigma) { return 1 / sigma; }}};

}  // namespace

extern const KernelRow laplacian_row = {
    .text = {"laplacian", laplacian_parameters},
    .formula = "exp(-gamma |x-y|_1), gamma = 1/sigma",
    .notes = "sum of absolute differences; without a width: gamma = 1/median(|x-y|_1)",
    .sklearn = "laplacian (its gamma is 1/features)",
    .mlpack = "",
    .kernlab = "",
    .form =
        [](std::span<const double> v) {
          return Form{Ingredient::absolute, {Function::exp, v[0]}};
        },
    .valid = valid_always,
    .choose = [](MedianDistances& medians) { return 1 / medians.absolute(); },
    .frequency = {[](std::span<const double> v, Random& random) {
                    return v[0] / std::abs(random.normal());  // Cauchy's, entry by entry
                  },
                  true},
};

Kernel kernels::laplacian(const Width& width) { return leaf_of_width(laplacian_row, width); }

}  // namespace mercer
