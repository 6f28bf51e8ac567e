#pragma once
// mercer-mpi as users start it. For tests that MERCER_MPIRUN is defined for.

#include "support/run.hpp"

#include <string>
#include <vector>

namespace mercer::test {

/// Of the same build as `mercer`: another compiler gives other last digits.
inline std::string mpi_program() { return mercer_program() + "-mpi"; }

/// Open MPI itself leaves memory behind.
inline const RunOptions without_leak_check{.environment = {"ASAN_OPTIONS=detect_leaks=0"}};

/// mpirun with so many processes of `command`.
inline std::vector<std::string> on_processes(int processes, const std::string& mpirun,
                                             const std::vector<std::string>& command) {
  std::vector<std::string> out = {
      mpirun, "--allow-run-as-root",    "--oversubscribe", "--bind-to", "none", "--quiet",
      "-n",   std::to_string(processes)};
  out.insert(out.end(), command.begin(), command.end());
  return out;
}

/// The lines of Mercer, wherever mpirun puts them.
inline std::vector<std::string> complaints(const Run& r) {
  std::vector<std::string> out;
  const std::string all = r.err + r.out;
  for (auto at = all.find("mercer: "); at != all.npos; at = all.find("mercer: ", at + 1))
    out.push_back(all.substr(at, all.find_first_of("\r\n", at) - at));
  return out;
}

}  // namespace mercer::test
