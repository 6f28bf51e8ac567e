#include "kernels/width.hpp"

#include <cmath>

namespace mercer {

extern const KernelRow rbf_row = {
    .name = "rbf",
    .formula = "exp(-gamma |x-y|^2), gamma = 1/(2 sigma^2)",
    .notes = "Gaussian; without a width: gamma = 1/median(|x-y|^2)",
    .sklearn = "rbf (its gamma is 1/features)",
    .mlpack = "gaussian (bandwidth = sigma)",
    .kernlab = "rbfdot (sigma = gamma)",
    .parameters =
        [] {
          return std::vector<Parameter>{{"gamma", open_value, Domain::positive, false, "sigma",
                                         [](double sigma) { return 1 / (2 * sigma * sigma); }}};
        },
    .form =
        [](std::span<const double> v) {
          return Form{Ingredient::distances, {Function::exp, v[0]}};
        },
    .valid = valid_always,
    .choose = [](MedianDistances& medians) { return 1 / medians.squared(); },
    .frequency = {[](std::span<const double> v, Random&) { return std::sqrt(2 * v[0]); }},
};

Kernel kernels::rbf(const Width& width) { return leaf_of_width(rbf_row, width); }

}  // namespace mercer
