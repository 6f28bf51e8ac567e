#include "maps/binomial.hpp"
#include "maps/graded.hpp"

#include <cmath>

namespace mercer {

// (x·y)^M = Σ M!/∏a_i! · x^a·y^a over |a| = M.
template <class T>
std::shared_ptr<const Map<T>> monomial_map(Index inputs, int degree) {
  std::vector<double> scale(static_cast<std::size_t>(checked_degree("monomials", degree)) + 1);
  scale.back() = std::sqrt(factorial(degree));
  return std::make_shared<GradedMap<T>>("monomials", inputs, degree, degree, true, scale);
}

template std::shared_ptr<const Map<float>> monomial_map(Index, int);
template std::shared_ptr<const Map<double>> monomial_map(Index, int);

extern const MapRow monomials_row = {
    .text = {"monomials", degree_parameters, "monomials(degree=2)"},
    .formula = "all monomials of exactly that degree, weighted: phi(x).phi(y) = (x.y)^degree",
    .make =
        []<class T>(const MapRequest<T>& r) {
          return monomial_map<T>(r.inputs, static_cast<int>(r.values[0]));
        },
};

}  // namespace mercer
