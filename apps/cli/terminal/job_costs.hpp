#pragma once
// What a command has cost each process of a job so far.

#include "terminal/job.hpp"

#include <mercer/team_ledger.hpp>

#include <string>
#include <vector>

namespace mercer::cli {

struct ProcessCosts {
  RankTraffic rows, passes, rest;
  double peak_bytes = 0;  ///< of memory
  double user_seconds = 0, system_seconds = 0;
  double call_seconds = 0;  ///< of user_seconds, in MPI: moving bytes, and waiting for others
};

/// Of all processes, on the first; nothing on the others.
std::vector<ProcessCosts> costs_of(TeamLedger& team);

/// A line for people.
std::string costs_line(const std::vector<ProcessCosts>& costs);
/// A JSON object with an array "processes", if there are costs.
std::string with_costs(std::string json, const std::vector<ProcessCosts>& costs);

}  // namespace mercer::cli
