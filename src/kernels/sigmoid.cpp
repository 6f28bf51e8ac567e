#include "kernels/row.hpp"

namespace mercer {

namespace {

constexpr TextParameter sigmoid_parameters[] = {{"gamma", domains::positive, 1},
                                                {"coef0", domains::any, 0}};

}  // namespace

extern const KernelRow sigmoid_row = {
    .text = {"sigmoid", sigmoid_parameters},
    .formula = "tanh(gamma x.y + coef0)",
    .notes = "not positive semi-definite in general: check it on the data",
    .sklearn = "sigmoid (its gamma is 1/features, its coef0 1)",
    .mlpack = "hyptan (kernel_scale = gamma, offset = coef0)",
    .kernlab = "tanhdot (scale = gamma, offset = coef0)",
    .form =
        [](std::span<const double> v) {
          return Form{Ingredient::inner, {Function::tanh, v[0], v[1]}};
        },
    .valid = [](std::span<const double>) { return false; },
};

Kernel kernels::sigmoid(const Sigmoid& s) {
  return Kernel(make_leaf(sigmoid_row, {s.gamma, s.coef0}));
}

}  // namespace mercer
