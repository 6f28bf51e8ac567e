#pragma once
// Runs a real program and collects what it says.

#include <string>
#include <vector>

namespace mercer::test {

struct Run {
  int exit_code = -1;  ///< 128 + signal when it was killed
  std::string out;
  std::string err;
  long peak_kib = 0;  ///< largest resident size of the process
};

struct RunOptions {
  std::string input;                     ///< standard input
  std::vector<std::string> environment;  ///< NAME=value, added
  unsigned long file_size_limit = 0;     ///< bytes a file may grow to; 0: no limit
  /// Sent when it is caught and the program has waited for more input for `signal_after_ms`, or,
  /// without input, has run for as long; input stays open.
  int signal = 0;
  int signal_after_ms = 0;
  bool terminal = false;      ///< standard error is a pseudo-terminal
  bool terminal_out = false;  ///< standard output is a pseudo-terminal
  int columns = 100;          ///< width of the pseudo-terminals
  std::string directory;      ///< working directory; empty: inherited
};

Run run(const std::vector<std::string>& command, const RunOptions& options = {});

/// Path of the `mercer` program of this build.
std::string mercer_program();

/// Runs it.
Run mercer(std::vector<std::string> arguments, const RunOptions& options = {});

}  // namespace mercer::test
