#include "kernels/row.hpp"

namespace mercer {

extern const KernelRow poly_row = {
    .name = "poly",
    .formula = "(gamma x.y + coef0)^degree",
    .notes = "coef0=0 is the homogeneous one; valid for coef0 >= 0",
    .sklearn = "poly (its gamma is 1/features)",
    .mlpack = "polynomial (offset = coef0)",
    .kernlab = "polydot (scale = gamma, offset = coef0)",
    .parameters =
        [] {
          return std::vector<Parameter>{{"degree", 3, Domain::degree},
                                        {"coef0", 1, Domain::any},
                                        {"gamma", 1, Domain::positive, true}};
        },
    .form =
        [](std::span<const double> v) {
          return Form{Ingredient::inner, {Function::power, v[2], v[1], static_cast<int>(v[0])}};
        },
    .valid = [](std::span<const double> v) { return v[1] >= 0; },
};

Kernel kernels::poly(const Poly& p) {
  return Kernel(make_leaf(poly_row, {static_cast<double>(p.degree), p.coef0, p.gamma}));
}

}  // namespace mercer
