#pragma once
// The processes that run a command together. `mercer` is one process; `mercer-mpi` is several, of
// which the first prints and writes.

#include <mercer/team_ledger.hpp>

#include <string>

namespace mercer::cli {

struct Job {
  TeamLedger* team = nullptr;  ///< null: this process alone
  int processes_here = 1;      ///< on this machine

  bool leads() const { return !team || team->rank() == 0; }
};

/// Set once, by the program's `main`.
Job& job();

/// What this process would have said, had it been the first: for a job that ends in disorder.
std::string& unsaid();

}  // namespace mercer::cli
