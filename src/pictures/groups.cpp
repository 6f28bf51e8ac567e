#include "pictures/groups.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace mercer {

Groups group(const std::vector<std::string>& labels, std::size_t most) {
  Groups out;
  std::map<std::string_view, std::size_t> seen;
  for (const std::string& label : labels) {
    const auto entry = seen.emplace(label, seen.size()).first->second;
    out.of_point.push_back(std::min(entry, most));
    if (entry >= most) out.others = true;
    else if (entry == out.names.size()) out.names.push_back(label);
  }
  if (out.others) out.names.emplace_back("others");
  return out;
}

}  // namespace mercer
