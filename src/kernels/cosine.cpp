#include "kernels/row.hpp"

namespace mercer {

extern const KernelRow cosine_row = {
    .text = {"cosine"},
    .formula = "x.y / (|x| |y|)",
    .notes = "0 where a row is 0",
    .sklearn = "cosine",
    .mlpack = "cosine",
    .kernlab = "",
    .form =
        [](std::span<const double>) {
          return Form{Ingredient::cosines, {}};
        },
    .valid = valid_always,
};

Kernel kernels::cosine() { return Kernel(make_leaf(cosine_row, {})); }

}  // namespace mercer
