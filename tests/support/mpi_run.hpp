#pragma once
// mercer-mpi as users start it: processes of an MPI job.

#include "support/run.hpp"

#include <cstdlib>
#include <string>
#include <vector>

namespace mercer::test {

#ifdef MERCER_MPIRUN

/// How jobs are started. With MERCER_TEST_MPICH in the environment the same tests run on MPICH.
struct Launcher {
  std::vector<std::string> command;
  std::string program;        ///< of the same build as `mercer`: others give other last digits
  std::string rank_variable;  ///< of a process
};

inline const Launcher& launcher() {
  static const Launcher mpich{{"mpirun.mpich"}, mercer_program() + "-mpich", "PMI_RANK"};
  static const Launcher open_mpi{
      {MERCER_MPIRUN, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--quiet"},
      mercer_program() + "-mpi",
      "OMPI_COMM_WORLD_RANK"};
  return std::getenv("MERCER_TEST_MPICH") ? mpich : open_mpi;
}

/// A job of so many processes that run a command. One that hangs fails.
inline std::vector<std::string> job_of(int processes, const std::vector<std::string>& command) {
  std::vector<std::string> job = {"timeout", "120"};
  const std::vector<std::string>& launch = launcher().command;
  job.insert(job.end(), launch.begin(), launch.end());
  job.insert(job.end(), {"-n", std::to_string(processes)});
  job.insert(job.end(), command.begin(), command.end());
  return job;
}

/// mercer-mpi; before it starts, one process runs `setup` of a shell, which may change the
/// arguments.
inline std::vector<std::string> mpi_command(const std::vector<std::string>& arguments,
                                            int rank = -1, const std::string& setup = {}) {
  std::vector<std::string> command;
  if (!setup.empty())
    command = {"sh", "-c",
               "if [ \"$" + launcher().rank_variable + "\" = " + std::to_string(rank) +
                   " ]; then " + setup + "; fi; exec " + launcher().program + " \"$@\"",
               "sh"};
  else command = {launcher().program};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

/// Open MPI itself leaves memory behind.
inline RunOptions mpi_options() { return {.environment = {"ASAN_OPTIONS=detect_leaks=0"}}; }

inline Run mercer_mpi(int processes, const std::vector<std::string>& arguments, int rank = -1,
                      const std::string& setup = {}) {
  return run(job_of(processes, mpi_command(arguments, rank, setup)), mpi_options());
}

/// The lines of Mercer, wherever mpirun puts them.
inline std::vector<std::string> complaints(const Run& r) {
  std::vector<std::string> out;
  const std::string all = r.err + r.out;
  for (auto at = all.find("mercer: "); at != all.npos; at = all.find("mercer: ", at + 1))
    out.push_back(all.substr(at, all.find_first_of("\r\n", at) - at));
  return out;
}

#endif

}  // namespace mercer::test
