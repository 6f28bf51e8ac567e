#pragma once
// What the ranks of a team must have in common, and what is not distributed.

#include <mercer/fit.hpp>

#include <string>

namespace mercer {

/// Throws on all ranks where options, version or columns of one of them are not those of rank 0;
/// the message names the first difference. `map`: its text, empty for none.
void require_same(Team& team, const FitOptions& options, const Schema& schema,
                  const std::string& map, bool single);

/// Throws `Errc::bad_option` for what a team cannot do.
void require_distributed(const FitOptions& options);

}  // namespace mercer
