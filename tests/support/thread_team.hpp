#pragma once
// A team whose members are threads of this process: what tests run under any number of ranks.

#include <mercer/team.hpp>

#include <functional>

namespace mercer::test {

/// Calls run(team) on `size` threads, each with its own rank. When one of them throws, the others
/// are woken from their waits with an error, and the first error of the lowest rank that has one of
/// its own is rethrown.
void with_team(int size, const std::function<void(Team&)>& run);

}  // namespace mercer::test
