#include "kernels/width.hpp"

#include <cmath>

namespace mercer {

namespace {

constexpr Domain matern_nu{"be 0.5, 1.5 or 2.5",
                           [](double v) { return v == 0.5 || v == 1.5 || v == 2.5; }};
constexpr TextParameter matern_parameters[] = {{"nu", matern_nu, 1.5},
                                               {"length", domains::positive}};

}  // namespace

extern const KernelRow matern_row = {
    .text = {"matern", matern_parameters},
    .formula = "exp(-s), (1+s) exp(-s) or (1+s+s^2/3) exp(-s), s = sqrt(2 nu) |x-y|/length",
    .notes = "nu is 0.5, 1.5 or 2.5; without a length: median(|x-y|)",
    .sklearn = "Matern(nu, length_scale = length)",
    .mlpack = "",
    .kernlab = "",
    .form =
        [](std::span<const double> v) {
          const Function f = v[0] == 0.5   ? Function::exp_root
                             : v[0] == 1.5 ? Function::matern3
                                           : Function::matern5;
          return Form{Ingredient::distances, {f, std::sqrt(2 * v[0]) / v[1]}};
        },
    .valid = valid_always,
    .choose = [](MedianDistances& medians) { return std::sqrt(medians.squared()); },
    .frequency = {[](std::span<const double> v, Random& random) {
      double chi2 = 0;  // of 2ν degrees: Student's distribution
      for (int i = 0; i < static_cast<int>(2 * v[0]); ++i) chi2 += std::pow(random.normal(), 2);
      return 1 / (v[1] * std::sqrt(chi2 / (2 * v[0])));
    }},
};

Kernel kernels::matern(const Matern& m) {
  return Kernel(make_leaf(matern_row, {m.nu, given_or_open(matern_row, 1, m.length)}));
}

}  // namespace mercer
