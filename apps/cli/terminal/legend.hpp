#pragma once
// How groups of points are told apart: by colour, or by a character where there is none.

#include "terminal/cloud.hpp"
#include "terminal/terminal.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace mercer::cli {

/// One of the 256 colours.
int color_of(const Cloud::Group& group, std::size_t index);

/// A character for each group: the label's first letter when that tells them apart.
std::vector<char> marks(const std::vector<Cloud::Group>& groups);

/// Marks, names and counts, `indent` columns in; nothing when there are no labels.
std::string legend(const Cloud& cloud, const Terminal& terminal, int indent, int width);

}  // namespace mercer::cli
