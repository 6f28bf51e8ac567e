#pragma once
// Ctrl-C, SIGTERM and SIGHUP: the first one asks the work to stop and clean up, the second ends the
// program at once.

#include <mercer/error.hpp>

namespace mercer::cli {

/// SIGINT, SIGTERM and SIGHUP ask to stop, those that are ignored (nohup) do not; a closed pipe is
/// an error of the write, not a signal; a mapped file that was cut off ends the program with a line
/// that says so.
void watch_signals();

/// Somebody asked to stop.
bool interrupted();

/// How the program ends then: 129, 130 or 143 for SIGHUP, SIGINT or SIGTERM.
int exit_code_of_signal();

/// Throws `Errc::interrupted` when somebody asked to stop.
void stop_if_interrupted();

/// Ends like any filter whose reader has gone away: by SIGPIPE.
[[noreturn]] void end_by_closed_pipe();

/// Standard output as one of several outputs: a reader that goes away must not cost the others.
///
///     ClosedPipe pipe;
///     pipe.survives([&] { trace.write(row); });
///     model.publish();
///     pipe.end();                                  // by SIGPIPE, when the reader has gone
class ClosedPipe {
 public:
  template <class Work>
  void survives(const Work& work) {
    try {
      work();
    } catch (const Error& error) {
      if (error.code() != Errc::interrupted || interrupted()) throw;
      closed_ = true;
    }
  }
  void end() const {
    if (closed_) end_by_closed_pipe();
  }

 private:
  bool closed_ = false;
};

}  // namespace mercer::cli
