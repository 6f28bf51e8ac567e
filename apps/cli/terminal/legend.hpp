#pragma once
// How groups of points are distinguished: by colour, or by a character without colours.

#include "terminal/cloud.hpp"
#include "terminal/terminal.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace mercer::cli {

/// One of the 256 colours.
int color_of(const Cloud::Group& group, std::size_t index);

/// A character for each group: the label's first letter if these are distinct.
std::vector<char> marks(const std::vector<Cloud::Group>& groups);

/// Marks, names and counts, `indent` columns in; nothing when there are no labels.
std::string legend(const Cloud& cloud, const Terminal& terminal, int indent, int width);

}  // namespace mercer::cli
