#pragma once
// The processes that run a command together. `mercer` is one process; `mercer-mpi` is several, of
// which the first prints and writes.

#include <mercer/team_ledger.hpp>

#include <functional>
#include <string>

namespace mercer::cli {

struct Job {
  TeamLedger* team = nullptr;  ///< null: this process alone
  int processes_here = 1;      ///< on this machine
  /// By mpirun, which may give the first process a pseudo-terminal wherever its output goes.
  bool launched = false;

  bool leads() const { return !team || team->rank() == 0; }
};

/// Set once, by the program's `main`.
Job& job();

/// Work that fails on all processes or on none. It sends nothing to others itself: where it did and
/// then failed, processes would take one message for another. An error outside of such work ends
/// the job a few seconds later (`MpiJob::end`).
void together(const std::function<void()>& work);
/// The same, done by the first process only.
void by_first(const std::function<void()>& work);

/// The error of this process, which is not the first and so has not shown it: for a job that ends
/// because of it.
std::string& unsaid();

}  // namespace mercer::cli
