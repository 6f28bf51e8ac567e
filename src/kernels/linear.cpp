#include "kernels/row.hpp"

namespace mercer {

extern const KernelRow linear_row = {
    .text = {"linear"},
    .formula = "x.y",
    .notes = "ordinary PCA",
    .sklearn = "linear",
    .mlpack = "linear",
    .kernlab = "vanilladot",
    .form =
        [](std::span<const double>) {
          return Form{Ingredient::inner, {}};
        },
    .valid = valid_always,
};

Kernel kernels::linear() { return Kernel(make_leaf(linear_row, {})); }

}  // namespace mercer
