#pragma once
// Says before long work what could only fail after it: whether results can be written.

#include "options.hpp"

#include <fmt/format.h>

#include <sys/stat.h>

#include <initializer_list>
#include <string>

namespace mercer::cli {

/// Where a result goes, and the option that says so.
struct Output {
  const char* option;
  const std::string& path;
};

/// Throws when two of the outputs are one file, or when one of them and JSON are both standard
/// output.
inline void require_distinct(std::initializer_list<Output> outputs, bool json) {
  for (const Output& one : outputs) {
    if (json && one.path == "-")
      throw UsageError("--json and an output of - would both go to standard output");
    for (const Output& other : outputs)
      if (&other != &one && !one.path.empty() && one.path == other.path)
        throw UsageError(
            fmt::format("{} and {} are both '{}'", one.option, other.option, one.path));
  }
}

/// A file that is written beside its place first: it can be tried without a trace.
inline bool can_try(const std::string& path) {
  struct stat info {};
  const bool exists = stat(path.c_str(), &info) == 0;
  return !path.empty() && path != "-" &&
         (!exists || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode));
}

}  // namespace mercer::cli
