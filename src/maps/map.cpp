#include <mercer/map.hpp>

#include <fmt/format.h>

#include <cassert>

namespace mercer {

const char* name_of(Space space) {
  switch (space) {
    case Space::input:
      return "input";
    case Space::features:
      return "features";
    case Space::kernel:
      return "kernel";
    case Space::precomputed:
      return "precomputed";
  }
  return "";
}

template <class T>
std::vector<std::string> Map<T>::feature_names(const std::vector<std::string>&) const {
  std::vector<std::string> names;
  for (Index j = 1; j <= features(); ++j) names.push_back(fmt::format("f{}", j));
  return names;
}

template <class T>
void Map<T>::apply_strip(const Rows<T>& x, [[maybe_unused]] Index first,
                         Eigen::Ref<Matrix<T>> out) const {
  assert(first == 0 && out.cols() == features());
  apply(x, out);
}

template class Map<float>;
template class Map<double>;

}  // namespace mercer
