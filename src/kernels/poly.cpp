#include "kernels/row.hpp"

#include <cmath>

namespace mercer {

namespace {

constexpr Domain poly_degree{"be an integer from 1 to 1000",
                             [](double v) { return v >= 1 && v <= 1000 && v == std::floor(v); }};
constexpr TextParameter poly_parameters[] = {{"degree", poly_degree, 3},
                                             {"coef0", domains::any, 1},
                                             {"gamma", domains::positive, 1, false, true}};

}  // namespace

extern const KernelRow poly_row = {
    .text = {"poly", poly_parameters},
    .formula = "(gamma x.y + coef0)^degree",
    .notes = "coef0=0 is the homogeneous one; valid for coef0 >= 0",
    .sklearn = "poly (its gamma is 1/features)",
    .mlpack = "polynomial (offset = coef0)",
    .kernlab = "polydot (scale = gamma, offset = coef0)",
    .form =
        [](std::span<const double> v) {
          return Form{Ingredient::inner, {Function::power, v[2], v[1], static_cast<int>(v[0])}};
        },
    .valid = [](std::span<const double> v) { return v[1] >= 0; },
    .also = "polynomial",
};

Kernel kernels::poly(const Poly& p) {
  return Kernel(make_leaf(poly_row, {static_cast<double>(p.degree), p.coef0, p.gamma}));
}

}  // namespace mercer
