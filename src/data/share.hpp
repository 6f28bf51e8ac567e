#pragma once
// Files that the ranks of a team read together: each has its share of the rows.

#include <mercer/data.hpp>
#include <mercer/team.hpp>

#include <memory>
#include <string>
#include <vector>

namespace mercer {

/// `open_parts`, of which this rank sees its share of the rows; shares are consecutive, in the
/// order of the ranks, and may be empty. All ranks call it with the same files, which all of them
/// can read; `Errc::bad_data` if the files differ.
///
/// The files, one after the other, are cut into as many pieces of equally many bytes as there are
/// ranks, and a row belongs to the piece in which it begins. Of text and of mapped NPY a rank reads
/// its piece only; of text also the beginning, which decides on header and columns. A compressed
/// file is read by the rank that has its first byte. MTX and SVMlight are read by all ranks, which
/// keep their rows, and so is everything with `onehot`.
///
/// Messages are those of one process: an error is that of the first rank that throws one, and
/// lines and rows are numbered in the file. `dropped_rows` and `missing_cells` are those of all
/// rows: unless `missing` is `Missing::error`, the rows are read once more to count them.
/// Throws `Errc::bad_option` for standard input, pipes and a single compressed file.
template <class T>
std::unique_ptr<Source<T>> open_share(const std::vector<std::string>& paths,
                                      const ReadOptions& options, Team& team);

}  // namespace mercer
