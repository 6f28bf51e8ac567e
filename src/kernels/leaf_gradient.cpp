#include "kernels/leaf_gradient.hpp"

#include "kernels/formula.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

double inner(std::span<const double> x, std::span<const double> a) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += x[j] * a[j];
  return sum;
}

/// slope = ∂z/∂x; returns z.
double ingredient_gradient(Ingredient ingredient, std::span<const double> x,
                           std::span<const double> a, std::span<double> slope) {
  double z = 0;
  switch (ingredient) {
    case Ingredient::none:
      std::fill(slope.begin(), slope.end(), 0.0);
      return 0;
    case Ingredient::inner:
      std::copy(a.begin(), a.end(), slope.begin());
      return inner(x, a);
    case Ingredient::cosines: {
      const double xx = inner(x, x), aa = inner(a, a), both = std::sqrt(xx) * std::sqrt(aa);
      z = aa > 0 && xx > 0 ? inner(x, a) / both : 0;
      for (std::size_t j = 0; j < x.size(); ++j)
        slope[j] = aa == 0  ? 0
                   : xx > 0 ? a[j] / both - z * x[j] / xx
                            : std::numeric_limits<double>::quiet_NaN();
      return z;
    }
    case Ingredient::distances:
      for (std::size_t j = 0; j < x.size(); ++j) {
        const double difference = x[j] - a[j];
        slope[j] = 2 * difference;
        z += difference * difference;
      }
      return z;
    case Ingredient::absolute:
      for (std::size_t j = 0; j < x.size(); ++j) {
        slope[j] = x[j] > a[j] ? 1 : x[j] < a[j] ? -1 : 0;
        z += std::abs(x[j] - a[j]);
      }
      return z;
    case Ingredient::chi2:
    case Ingredient::harmonic:
      for (std::size_t j = 0; j < x.size(); ++j) {
        const double both = x[j] + a[j], share = both > 0 ? a[j] / both : 0;
        const double difference = both > 0 ? (x[j] - a[j]) / both : 0;
        if (ingredient == Ingredient::harmonic) {
          slope[j] = 2 * share * share;
          z += 2 * x[j] * share;
        } else {
          slope[j] = difference * (1 + 2 * share);  // (x − a)(x + 3a)/(x + a)²
          z += (x[j] - a[j]) * difference;
        }
      }
      return z;
  }
  return z;
}

}  // namespace

double leaf_gradient(Ingredient ingredient, const Formula<double>& formula,
                     std::span<const double> x, std::span<const double> a,
                     std::span<double> slope_of_x) {
  const double z = ingredient_gradient(ingredient, x, a, slope_of_x);
  const double s = slope(formula, z);
  for (double& one : slope_of_x) one *= s;
  double value = 0;
  apply(formula, Sweep<double>{1, 1, &z, 1, &value, 1});
  return value;
}

}  // namespace mercer
