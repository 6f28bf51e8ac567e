#pragma once
// Horizontal bars of block characters, to an eighth of a column; plain characters elsewhere.

#include "terminal/terminal.hpp"

#include <string>

namespace mercer::cli {

/// A bar for `share` (0 … 1) of `width` columns, no longer than it must be.
std::string bar(double share, int width, const Terminal& terminal);

/// The same, with the rest of the way shown too.
std::string gauge(double share, int width, const Terminal& terminal);

}  // namespace mercer::cli
