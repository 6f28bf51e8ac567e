#include "maps/finite_features.hpp"

#include "core/require.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

constexpr Index most_named_features = 1 << 20;  // a name takes memory too
constexpr Index checked_numbers = 1 << 20;      // of features

/// "the feature 'x1^2' of squares".
template <class T>
std::string feature_text(const Map<T>& map, Index j, std::vector<std::string> inputs) {
  if (map.features() > most_named_features)
    return fmt::format("feature {} of {}", j + 1, map.text());
  for (auto c = static_cast<Index>(inputs.size()); c < map.inputs(); ++c)
    inputs.push_back(fmt::format("x{}", c + 1));
  return fmt::format("the feature '{}' of {}",
                     map.feature_names(inputs)[static_cast<std::size_t>(j)], map.text());
}

}  // namespace

template <class T>
void require_finite_features(const Map<T>& map, const Rows<T>& x, Index first,
                             const std::vector<std::string>& names) {
  map.require_domain(x, first);
  if (const auto* explains = dynamic_cast<const ExplainsOverflow<T>*>(&map))
    return explains->require_no_overflow(x, first);
  const Index step = std::clamp<Index>(checked_numbers / std::max<Index>(1, map.features()), 1,
                                       std::max<Index>(1, x.rows()));
  Matrix<T> phi(step, map.features());
  const bool user_defined = map.text().starts_with("function(");
  for (Index begin = 0; begin < x.rows(); begin += step) {
    const Index n = std::min(step, x.rows() - begin);
    map.apply(x.middle(begin, n), phi.topRows(n));
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < phi.cols(); ++j) {
        if (std::isfinite(phi(i, j))) continue;
        // Only a user-defined function makes NaN of finite cells without an overflow.
        const bool undefined = user_defined && std::isnan(phi(i, j));
        fail(Errc::bad_data, "row {}: {} {}; {}", first + begin + i + 1,
             feature_text(map, j, names), undefined ? "is not a number" : "overflows",
             undefined ? "the function must return numbers"
             : map.text().find("degree") != std::string::npos
                 ? "scale the data (`scale=std`) or use a lower degree"
                 : "scale the data (`scale=std`)");
      }
  }
}

#define MERCER_INSTANTIATE(T)                                                 \
  template void require_finite_features(const Map<T>&, const Rows<T>&, Index, \
                                        const std::vector<std::string>&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
