#pragma once
// Says before long work what could only fail after it: whether results can be written.

#include "options.hpp"

#include <fmt/format.h>

#include <sys/stat.h>

#include <algorithm>
#include <initializer_list>
#include <string>

namespace mercer::cli {

/// Throws when two of the outputs are one file, or when one of them and JSON are both standard
/// output.
inline void require_distinct(std::initializer_list<std::string> outputs, bool json) {
  for (auto one = outputs.begin(); one != outputs.end(); ++one) {
    if (json && *one == "-")
      throw UsageError("--json and an output of - would both go to standard output");
    if (!one->empty() && std::find(outputs.begin(), one, *one) != one)
      throw UsageError(fmt::format("two outputs are both '{}'", *one));
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
