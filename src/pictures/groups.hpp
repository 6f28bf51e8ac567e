#pragma once
// Labels as groups of points, distinguished by colour.

#include <cstddef>
#include <string>
#include <vector>

namespace mercer {

/// Labels in the order in which they are met; those beyond `most` are one group.
struct Groups {
  std::vector<std::string> names;  ///< none: no labels
  std::vector<std::size_t> of_point;
  bool others = false;  ///< the last name stands for all further labels
};

Groups group(const std::vector<std::string>& labels, std::size_t most);

}  // namespace mercer
