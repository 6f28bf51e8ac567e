#include "kernels/width.hpp"

#include <cmath>

namespace mercer {

namespace {

constexpr TextParameter rbf_parameters[] = {{"gamma", domains::positive, open_value, false, false,
                                             "sigma",
                                             [](double sigma) { return 1 / (2 * sigma * sigma); }}};

}  // namespace

extern const KernelRow rbf_row = {
    .text = {"rbf", rbf_parameters},
    .formula = "exp(-gamma |x-y|^2), gamma = 1/(2 sigma^2)",
    .notes = "Gaussian; without a width: gamma = 1/median(|x-y|^2)",
    .sklearn = "rbf (its gamma is 1/features)",
    .mlpack = "gaussian (bandwidth = sigma)",
    .kernlab = "rbfdot (sigma = gamma)",
    .form =
        [](std::span<const double> v) {
          return Form{Ingredient::distances, {Function::exp, v[0]}};
        },
    .valid = valid_always,
    .choose = [](MedianDistances& medians) { return 1 / medians.squared(); },
    .frequency = {[](std::span<const double> v, Random&) { return std::sqrt(2 * v[0]); }},
    .also = "gaussian",
};

Kernel kernels::rbf(const Width& width) { return leaf_of_width(rbf_row, width); }

}  // namespace mercer
