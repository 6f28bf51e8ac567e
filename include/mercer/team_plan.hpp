#pragma once
/// \file
/// What a fit over several processes costs each of them: memory, traffic and time.
///
///     mercer::Facts facts{.rows = 1e6, .columns = 20, .entries = 2e7, .budget = 16e9};
///     mercer::FitOptions options{.components = 10, .kernel = mercer::kernels::rbf()};
///     auto p = mercer::team_plan(facts, options, {.ranks = 32, .network = 1e10});
///     p.sent(0);                                     // bytes of the first process
///     p.core_seconds(0);
///     std::string text = mercer::to_text(p);         // what `mercer fit --explain --ranks` prints
///
/// Traffic is that of the rows and of the passes (`Purpose` in team_ledger.hpp), byte by byte; the
/// rest, which depends on the run, is small beside it. It is exact for dense rows without
/// `missing` that the processes share evenly. Seconds come from the speed of one machine
/// (src/pca/core_speed.hpp).

#include <mercer/plan.hpp>
#include <mercer/plan_text.hpp>
#include <mercer/team_ledger.hpp>

#include <optional>
#include <string>
#include <vector>

namespace mercer {

struct TeamFacts {
  int ranks = 1;
  double network = 0;     ///< bits per second in each direction, of each process; 0: not known
  bool weighted = false;  ///< rows have weights
};

/// Of one process.
struct RankCost {
  double bytes = 0;                ///< of memory, its rows included
  RankTraffic first{}, further{};  ///< up to the end of the first pass; in each further one
  double first_seconds = 0, further_seconds = 0;  ///< of one core, in the same
};

struct TeamPlan {
  Plan plan;  ///< the method; its budget is that of a process
  TeamFacts team;
  std::vector<RankCost> ranks;

  double passes() const { return plan.chosen.passes; }
  double sent(int rank) const;
  double received(int rank) const;
  double messages(int rank) const;
  double core_seconds(int rank) const;
  /// Of the slowest process: with `plan.facts.threads` cores, and in the network.
  double work_seconds() const;
  double network_seconds() const;
};

/// The plan for rows of which these facts are known; `facts.budget`, `buffers` and `threads` are
/// those of each process. Throws `Errc::bad_option` for what is not distributed.
TeamPlan team_plan(const Facts& facts, const FitOptions& options, const TeamFacts& team);

/// "10gbit" or "100mbit": bits per second.
double parse_network(std::string_view text, std::string_view option);

/// The plan, and a table of the processes.
std::string to_text(const TeamPlan& plan, RowCount count = RowCount::exact);
/// The plan as JSON, with an object "team".
std::string to_json(const TeamPlan& plan, RowCount count = RowCount::exact, int indent = 2);

}  // namespace mercer
