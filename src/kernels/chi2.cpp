#include "kernels/row.hpp"

namespace mercer {

namespace {

constexpr TextParameter chi2_parameters[] = {{"gamma", domains::positive, 1}};

}  // namespace

extern const KernelRow chi2_row = {
    .text = {"chi2", chi2_parameters},
    .formula = "exp(-gamma sum (x-y)^2/(x+y))",
    .notes = "for counts and histograms: entries of at least 0",
    .sklearn = "chi2_kernel",
    .mlpack = "",
    .kernlab = "",
    .form =
        [](std::span<const double> v) {
          return Form{Ingredient::chi2, {Function::exp, v[0]}};
        },
    .valid = valid_always,
    .nonnegative = true,
};

extern const KernelRow additive_chi2_row = {
    .text = {"additive_chi2"},
    .formula = "sum 2xy/(x+y)",
    .notes = "for counts and histograms: entries of at least 0",
    .sklearn = "what AdditiveChi2Sampler approximates (additive_chi2_kernel is -sum (x-y)^2/(x+y))",
    .mlpack = "",
    .kernlab = "",
    .form =
        [](std::span<const double>) {
          return Form{Ingredient::harmonic, {}};
        },
    .valid = valid_always,
    .nonnegative = true,
};

Kernel kernels::chi2(double gamma) { return Kernel(make_leaf(chi2_row, {gamma})); }
Kernel kernels::additive_chi2() { return Kernel(make_leaf(additive_chi2_row, {})); }

}  // namespace mercer
