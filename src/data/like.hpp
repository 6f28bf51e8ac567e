#pragma once
// A file read with the columns of a model: by name, in the model's order.

#include "data/columns.hpp"

#include <mercer/data.hpp>

#include <string>
#include <unordered_map>
#include <vector>

namespace mercer {

/// Names of features as their file has them: where it has no `color=red` but a `color`, that, once;
/// and for each such column its categories.
struct WithoutLevels {
  std::vector<std::string> names;
  std::unordered_map<std::string, std::vector<std::string>> levels;
};
WithoutLevels without_levels(const std::vector<std::string>& wanted,
                             const std::vector<std::string>& file_names);

/// File columns of `like.features`, in that order. Names that occur twice are taken in turn.
/// Throws `Errc::bad_data` naming what the file lacks and what comes close.
std::vector<Index> find_like(const std::vector<std::string>& wanted,
                             const std::vector<std::string>& file_names, const std::string& file);

/// The source with its features in the order of `names`; the source itself when that is so already
/// or when either side has no names.
template <class T>
std::unique_ptr<Source<T>> in_order(std::unique_ptr<Source<T>> source,
                                    const std::vector<std::string>& names);

}  // namespace mercer
