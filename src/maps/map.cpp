#include <mercer/map.hpp>

#include <fmt/format.h>

namespace mercer {

template <class T>
std::vector<std::string> Map<T>::feature_names(const std::vector<std::string>&) const {
  std::vector<std::string> names;
  for (Index j = 1; j <= features(); ++j) names.push_back(fmt::format("f{}", j));
  return names;
}

template class Map<float>;
template class Map<double>;

}  // namespace mercer
