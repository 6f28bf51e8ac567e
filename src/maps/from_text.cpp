#include "maps/from_text.hpp"

namespace mercer {

namespace {

template <class T>
struct Row {
  std::string_view text;
  std::shared_ptr<const Map<T>> (*make)(Index inputs);
};

// A new map adds its row here.
template <class T>
constexpr Row<T> table[] = {
    {"identity", identity_map<T>},
};

}  // namespace

template <class T>
std::shared_ptr<const Map<T>> map_from_text(std::string_view text, Index inputs) {
  for (const Row<T>& row : table<T>)
    if (row.text == text) return row.make(inputs);
  return nullptr;
}

template std::shared_ptr<const Map<float>> map_from_text(std::string_view, Index);
template std::shared_ptr<const Map<double>> map_from_text(std::string_view, Index);

}  // namespace mercer
