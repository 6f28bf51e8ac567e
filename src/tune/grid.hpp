#pragma once
// What `kernel_grid` knows of its expressions before it sees rows.

#include <string>
#include <vector>

namespace mercer {

/// Lists and ranges written out; `Errc::bad_option` where they are malformed.
std::vector<std::string> written_out(const std::vector<std::string>& expressions);

}  // namespace mercer
