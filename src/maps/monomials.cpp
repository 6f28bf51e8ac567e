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

}  // namespace mercer
