#pragma once
// Maps by their text form: how a model file names its map.

#include <mercer/map.hpp>

#include <memory>
#include <string_view>

namespace mercer {

/// The map that calls itself `text`, on `inputs` columns; null when there is none.
template <class T>
std::shared_ptr<const Map<T>> map_from_text(std::string_view text, Index inputs);

}  // namespace mercer
