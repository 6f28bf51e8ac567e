#pragma once
// Says before long work what could only fail after it: whether results can be written. Which files
// may be written is for `FilePlan`.

#include <sys/stat.h>

#include <string>

namespace mercer::cli {

/// A file that is written beside its place first: it can be tried without a trace.
inline bool can_try(const std::string& path) {
  struct stat info {};
  const bool exists = stat(path.c_str(), &info) == 0;
  return !path.empty() && path != "-" &&
         (!exists || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode));
}

}  // namespace mercer::cli
