#pragma once
// Files that the ranks of a team read together: each has its share of the rows.

#include <mercer/data.hpp>
#include <mercer/team.hpp>

#include <memory>
#include <string>
#include <vector>

namespace mercer {

/// `open_parts`, of which this rank sees its share of the rows; shares are consecutive, in the
/// order of the ranks, and differ by one row at most. All ranks call it with the same files, which
/// all of them can read. Rank 0 reads all rows once to count them, unless they are mapped; text is
/// read from its beginning by every rank, so that messages name the true lines. `dropped_rows` and
/// `missing_cells` are those of all rows. Throws `Errc::bad_option` for standard input and pipes.
template <class T>
std::unique_ptr<Source<T>> open_share(const std::vector<std::string>& paths,
                                      const ReadOptions& options, Team& team);

}  // namespace mercer
