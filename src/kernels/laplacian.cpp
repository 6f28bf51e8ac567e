#include "kernels/width.hpp"

#include <cmath>

namespace mercer {

extern const KernelRow laplacian_row = {
    .name = "laplacian",
    .formula = "exp(-gamma |x-y|_1), gamma = 1/sigma",
    .notes = "sum of absolute differences; without a width: gamma = 1/median(|x-y|_1)",
    .sklearn = "laplacian (its gamma is 1/features)",
    .mlpack = "",
    .kernlab = "",
    .parameters =
        [] {
          return std::vector<Parameter>{{"gamma", open_value, Domain::positive, false, "sigma",
                                         [](double sigma) { return 1 / sigma; }}};
        },
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
