#pragma once
// Bytes that the ranks of a team have written, as one stream on rank 0.

#include "core/spill.hpp"

#include <mercer/progress.hpp>
#include <mercer/team.hpp>

#include <functional>
#include <string_view>

namespace mercer {

/// Passes the bytes of ranks 1, 2, … to `use` of rank 0, one rank after the other, in pieces of at
/// most 4 MiB. All ranks call it; those of rank 0 are not passed. Throws on all ranks what `use`
/// throws, or `Errc::interrupted` when the monitor of rank 0 asks to stop.
void collect_bytes(Team& team, Spill& mine, const std::function<void(std::string_view)>& use,
                   const Monitor& monitor);

}  // namespace mercer
