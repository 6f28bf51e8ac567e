#pragma once
// Did you mean …?

#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// The name closest to `wanted` by edit distance, letter case aside; null when none is close.
const std::string* closest_name(std::string_view wanted, const std::vector<std::string>& names);

}  // namespace mercer
