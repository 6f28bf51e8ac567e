#pragma once
// Runs a command line of this program as a child process.

#include <string>
#include <string_view>
#include <vector>

namespace mercer::cli {

struct ChildRun {
  int exit_code = 0;  ///< 128 + signal if it was killed
  std::string out;    ///< standard output
  std::string both;   ///< standard output, then standard error
};

/// Arguments of a command line, separated by spaces or in single quotes.
std::vector<std::string> words_of(std::string_view line);

/// Runs `line`, which starts with "mercer", in a folder.
ChildRun run_child(std::string_view line, const std::string& folder);

}  // namespace mercer::cli
