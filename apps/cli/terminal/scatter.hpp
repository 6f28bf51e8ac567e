#pragma once
// Pictures of scores in a terminal: braille dots in the colours of the labels, or letters where
// there is no terminal.

#include "terminal/cloud.hpp"
#include "terminal/terminal.hpp"

#include <string>

namespace mercer::cli {

/// A scatter plot with axes, ticks and a legend. The axes carry the given titles.
std::string scatter(const Cloud& cloud, const Terminal& terminal, const std::string& x_title,
                    const std::string& y_title);

/// One dimension: the distribution of each group as a strip.
std::string strips(const Cloud& cloud, const Terminal& terminal, const std::string& title);

}  // namespace mercer::cli
