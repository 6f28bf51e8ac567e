#pragma once
// Which models can be merged.

#include <mercer/model.hpp>

#include <string>
#include <vector>

namespace mercer {

/// Throws, naming two models, when they have no common space. Returns for each model where the
/// columns of the first lie in it; empty: in their places. `names` may be empty.
template <class T>
std::vector<std::vector<Index>> require_mergeable(const std::vector<Model<T>>& models,
                                                  const std::vector<std::string>& names);

}  // namespace mercer
