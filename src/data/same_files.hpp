#pragma once
// Whether the ranks of a team see the same files.

#include <mercer/team.hpp>

#include <string>
#include <vector>

namespace mercer {

/// Compares the number of files, their sizes and some of their bytes: from the beginning, the end
/// and places between. Throws `Errc::bad_data` on all ranks where one has another file than rank 0.
void require_same_files(const std::vector<std::string>& paths, Team& team);

}  // namespace mercer
