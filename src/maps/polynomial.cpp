#include "maps/binomial.hpp"
#include "maps/graded.hpp"

#include <cmath>

namespace mercer {

// (1 + x·y)^p = Σ_g C(p, g)·(x·y)^g, and C(p, g)·g! = p!/(p−g)!.
template <class T>
std::shared_ptr<const Map<T>> polynomial_map(Index inputs, int degree) {
  std::vector<double> scale;
  for (int g = 0; g <= checked_degree("polynomial", degree); ++g)
    scale.push_back(std::sqrt(factorial(degree) / factorial(degree - g)));
  return std::make_shared<GradedMap<T>>("polynomial", inputs, 0, degree, true, scale);
}

template std::shared_ptr<const Map<float>> polynomial_map(Index, int);
template std::shared_ptr<const Map<double>> polynomial_map(Index, int);

extern const MapRow polynomial_row = {
    .text = {"polynomial", degree_parameters, "polynomial(degree=2)"},
    .formula = "all monomials up to that degree, weighted: phi(x).phi(y) = (1 + x.y)^degree",
    .make =
        []<class T>(const MapRequest<T>& r) {
          return polynomial_map<T>(r.inputs, static_cast<int>(r.values[0]));
        },
};

}  // namespace mercer
