#pragma once
// Ctrl-C: the first one asks the work to stop and clean up, the second ends the program at once.

namespace mercer::cli {

/// SIGINT and SIGTERM ask to stop; a closed pipe is an error of the write, not a signal; a mapped
/// file that was cut off ends the program with a line that says so.
void watch_signals();

/// Somebody asked to stop.
bool interrupted();

/// Throws `Errc::interrupted` when somebody asked to stop.
void stop_if_interrupted();

/// Ends like any filter whose reader has gone away: by SIGPIPE.
[[noreturn]] void end_by_closed_pipe();

}  // namespace mercer::cli
