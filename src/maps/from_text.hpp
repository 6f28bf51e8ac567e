#pragma once
// Maps by their text form: how a model file names its map, and a user on the command line.

#include <mercer/map.hpp>

#include <memory>
#include <string_view>

namespace mercer {

/// The map that calls itself `text`, on `inputs` columns; null when none has that name. Throws
/// `Errc::bad_option`, with the position, when what follows the name is wrong, and says so when the
/// map is a function of somebody's program.
template <class T>
std::shared_ptr<const Map<T>> map_from_text(std::string_view text, Index inputs);

}  // namespace mercer
