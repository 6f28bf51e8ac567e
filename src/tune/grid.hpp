#pragma once
// The expressions of `kernel_grid` before there are rows.

#include <string>
#include <vector>

namespace mercer {

/// Lists and ranges written out; `Errc::bad_option` where they are malformed.
std::vector<std::string> written_out(const std::vector<std::string>& expressions);

}  // namespace mercer
