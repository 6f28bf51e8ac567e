#include "core/require.hpp"
#include "kernels/row.hpp"

#include <cmath>

namespace mercer {

extern const KernelRow matern_row = {
    .name = "matern",
    .formula = "exp(-s), (1+s) exp(-s) or (1+s+s^2/3) exp(-s), s = sqrt(2 nu) |x-y|/length",
    .notes = "nu is 0.5, 1.5 or 2.5; without a length: median(|x-y|)",
    .sklearn = "Matern(nu, length_scale = length)",
    .mlpack = "",
    .kernlab = "",
    .parameters =
        [] {
          return std::vector<Parameter>{{"nu", 1.5, Domain::nu}, {"length", open_value}};
        },
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
  require(!m.length || *m.length > 0, Errc::bad_option,
          "matern: length = {} must be greater than 0", m.length.value_or(0));
  return Kernel(make_leaf(matern_row, {m.nu, m.length.value_or(open_value)}));
}

}  // namespace mercer
