#pragma once
// Whether the processes of a job were started with the same command.

#include <mercer/team.hpp>

namespace CLI {
class App;
}

namespace mercer::cli {

/// Compares the arguments of a command before it runs: an error on all processes unless they are
/// those of the first, but for --memory and --threads, as machines may differ.
void require_same_options(CLI::App& app, Team& team);

}  // namespace mercer::cli
