#pragma once
// Ctrl-C, SIGTERM and SIGHUP: the first one asks the work to stop and clean up, the second ends the
// program at once.

#include <mercer/error.hpp>

#include <optional>
#include <string>

namespace mercer::cli {

/// SIGINT, SIGTERM and SIGHUP ask to stop, those that are ignored (nohup) do not; a closed pipe is
/// an error of the write, not a signal; a mapped file that was cut off ends the program with a line
/// that says so.
void watch_signals();

/// A signal asked to stop.
bool interrupted();

/// How the program ends then: 129, 130 or 143 for SIGHUP, SIGINT or SIGTERM.
int exit_code_of_signal();

/// Throws `Errc::interrupted` after such a signal.
void stop_if_interrupted();

/// Ends like any filter whose reader has gone away: by SIGPIPE.
[[noreturn]] void end_by_closed_pipe();

/// The same if a reader has gone while something was written; does nothing otherwise.
void end_if_pipe_closed();

/// Notes that a reader has gone. Throws the error being handled when it is another one.
void note_closed_pipe(const Error& error);

/// Runs work that writes. False: the reader has gone (`| head`). The other outputs are completed,
/// and the program ends by SIGPIPE when they are.
template <class Work>
bool survives_closed_pipe(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    note_closed_pipe(error);
    return false;
  }
  return true;
}

/// Writes to one of several outputs, if it is there; drops it when its reader has gone.
///
///     write_to(scores, [&](Sink<T>& file) { file.write(rows); });
template <class Output, class Work>
void write_to(std::optional<Output>& output, const Work& work) {
  if (output && !survives_closed_pipe([&] { work(*output); })) output.reset();
}

/// Writes a whole file, if it has a name; it appears when it is published.
template <class File, class Content>
void prepare(std::optional<File>& file, const std::string& path, const Content& content) {
  if (path.empty()) return;
  file.emplace(path);
  write_to(file, [&](File& out) {
    out.write(content());
    out.finish();
  });
}

}  // namespace mercer::cli
