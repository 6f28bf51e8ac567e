#include "maps/graded.hpp"

namespace mercer {

template <class T>
std::shared_ptr<const Map<T>> plain_map(Index inputs, int degree) {
  const std::vector<double> ones(static_cast<std::size_t>(checked_degree("plain", degree)) + 1, 1);
  return std::make_shared<GradedMap<T>>("plain", inputs, 1, degree, false, ones);
}

template std::shared_ptr<const Map<float>> plain_map(Index, int);
template std::shared_ptr<const Map<double>> plain_map(Index, int);

extern const MapRow plain_row = {
    .text = {"plain", degree_parameters, "plain(degree=2)"},
    .formula = "all monomials of degree 1 up to that, unweighted",
    .make =
        []<class T>(const MapRequest<T>& r) {
          return plain_map<T>(r.inputs, static_cast<int>(r.values[0]));
        },
};

}  // namespace mercer
