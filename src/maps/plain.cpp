#include "maps/graded.hpp"

namespace mercer {

namespace {

constexpr std::string_view no_or_yes[] = {"no", "yes"};
constexpr TextParameter plain_parameters[] = {
    degree_parameters[0],
    {.name = "exactly", .domain = {.words = no_or_yes}, .standard = 0, .neutral = true},
    {.name = "constant", .domain = {.words = no_or_yes}, .standard = 0, .neutral = true}};

}  // namespace

template <class T>
std::shared_ptr<const Map<T>> plain_map(Index inputs, int degree, const PlainMapOptions& options) {
  const std::vector<double> ones(static_cast<std::size_t>(checked_degree("plain", degree)) + 1, 1);
  std::string more;
  if (options.exactly) more += ", exactly=yes";
  if (options.constant) more += ", constant=yes";
  return std::make_shared<GradedMap<T>>("plain", inputs, options.exactly ? degree : 1, degree,
                                        false, ones, options.constant, more);
}

template <class T>
std::shared_ptr<const Map<T>> plain_map(Index inputs, int degree) {
  return plain_map<T>(inputs, degree, {});
}

template std::shared_ptr<const Map<float>> plain_map(Index, int);
template std::shared_ptr<const Map<double>> plain_map(Index, int);
template std::shared_ptr<const Map<float>> plain_map(Index, int, const PlainMapOptions&);
template std::shared_ptr<const Map<double>> plain_map(Index, int, const PlainMapOptions&);

extern const MapRow plain_row = {
    .text = {"plain", plain_parameters, "plain(degree=2)"},
    .formula =
        "all monomials of degree 1 up to that, unweighted; exactly=yes: of that degree only; "
        "constant=yes: also 1",
    .make =
        []<class T>(const MapRequest<T>& r) {
          return plain_map<T>(r.inputs, static_cast<int>(r.values[0]),
                              {.exactly = r.values[1] == 1, .constant = r.values[2] == 1});
        },
};

}  // namespace mercer
