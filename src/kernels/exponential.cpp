#include "kernels/width.hpp"

#include <cmath>

namespace mercer {

namespace {

constexpr TextParameter exponential_parameters[] = {{"gamma", domains::positive, open_value, false,
                                                     false, "sigma",
                                                     [](double sigma) { return 1 / sigma; }}};

}  // namespace

extern const KernelRow exponential_row = {
    .text = {"exponential", exponential_parameters},
    .formula = "exp(-gamma |x-y|), gamma = 1/sigma",
    .notes = "matern with nu=0.5; without a width: gamma = 1/median(|x-y|)",
    .sklearn = "Matern(nu=0.5)",
    .mlpack = "laplacian (bandwidth = sigma)",
    .kernlab = "laplacedot (sigma = gamma)",
    .form =
        [](std::span<const double> v) {
          return Form{Ingredient::distances, {Function::exp_root, v[0]}};
        },
    .valid = valid_always,
    .choose = [](MedianDistances& medians) { return 1 / std::sqrt(medians.squared()); },
    .frequency = {[](std::span<const double> v, Random& random) {
      return v[0] / std::abs(random.normal());  // of one normal for all entries: Cauchy's in d
    }},
};

Kernel kernels::exponential(const Width& width) { return leaf_of_width(exponential_row, width); }

}  // namespace mercer
