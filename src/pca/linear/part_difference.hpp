#pragma once
// What keeps two parts from being merged, as a clause; empty: nothing.

#include <mercer/part_moments.hpp>

#include <string>

namespace mercer {

/// Of columns and weights; labels and ids do not matter.
std::string difference(const Schema& a, const Schema& b);
std::string difference(const PartOptions& a, const PartOptions& b);

}  // namespace mercer
