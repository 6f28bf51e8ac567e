#include "kernels/row.hpp"

namespace mercer {

namespace {

constexpr TextParameter constant_parameters[] = {{"value", domains::positive, 1}};

}  // namespace

extern const KernelRow constant_row = {
    .text = {"constant", constant_parameters},
    .formula = "value",
    .notes = "a number that stands alone in an expression is one: rbf + 1",
    .sklearn = "ConstantKernel",
    .mlpack = "",
    .kernlab = "",
    .form =
        [](std::span<const double> v) {
          return Form{Ingredient::none, {Function::power, 0, v[0], 1}};
        },
    .valid = valid_always,
};

Kernel kernels::constant(double value) { return Kernel(make_leaf(constant_row, {value})); }

}  // namespace mercer
