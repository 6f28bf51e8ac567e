#include "pca/linear/linear_team_cost.hpp"

#include "core/memory.hpp"
#include "core/require.hpp"
#include "core/team.hpp"
#include "core/team_traffic.hpp"
#include "pca/core_speed.hpp"
#include "pca/linear/solver_row.hpp"
#include "pca/method_cost.hpp"
#include "pca/team_rows.hpp"

#include <algorithm>

namespace mercer {

Plan plan_distributed(const Facts& facts, const FitOptions& options) {
  Plan out = plan(facts, options);
  if (out.approx) return out;
  if (out.otherwise && !linear_solver(*out.otherwise)->for_shares())
    out.otherwise = Solver::covariance;
  const LinearSolverRow& row = *linear_solver(out.solver);
  if (row.for_shares()) return out;
  const double rows_taken = row_bytes(facts);
  // Below, a budget that the share of the rows has used up is 0 bytes.
  const bool fits = rows_taken + row.bytes(facts, options) <= facts.budget;
  require(fits || options.solver == Solver::automatic, Errc::out_of_memory,
          "every process needs all {} rows for `solver={}`, {} in addition to its own and to {} of "
          "working memory, and {} are allowed; use a larger `memory`, or `solver=covariance`",
          facts.rows, row.name, format_bytes(rows_taken), format_bytes(row.bytes(facts, options)),
          format_bytes(std::max(0.0, facts.budget)));
  if (row.distributed && fits) {
    out.work -= rows_taken;
    return out;
  }
  FitOptions by_covariance = options;
  by_covariance.solver = Solver::covariance;
  out = plan(facts, by_covariance);
  out.chosen.why = "the only method for several processes";
  return out;
}

void plan_linear_team(TeamPlan& out, const Facts& facts, const FitOptions& options) {
  const int ranks = out.team.ranks;
  const double share = row_bytes(facts) / ranks;
  const bool held = facts.in_memory || share <= facts.budget / 2;
  Facts all = facts;
  all.in_memory = true;
  all.budget = facts.budget - (held ? share : 0);
  out.plan = plan_distributed(all, options);

  RowShares rows{.first = {},
                 .columns = static_cast<Index>(all.columns),
                 .entries = all.entries / std::max(1.0, all.rows),
                 .number_bytes = all.number_bytes,
                 .sparse = all.sparse};
  for (int rank = 0; rank <= ranks; ++rank)
    rows.first.push_back(segments_of(static_cast<Index>(all.rows), rank, ranks).first);
  const LinearSolverRow& row = *linear_solver(out.plan.solver);
  require(row.traffic || ranks == 1, Errc::bad_option,
          "`ranks`: the traffic of `solver={}`, which {}, is not predicted; `solver=covariance` is",
          row.name, options.solver == Solver::automatic ? "is selected here" : "was asked for");
  TeamTraffic first(ranks), further(ranks);
  if (ranks > 1) row.traffic(rows, options, all, all.budget, first, further);

  const double serial = row.root_flops(all);
  const double shared = (row.flops(all, options) - serial) / out.passes();
  for (int rank = 0; rank < ranks; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    RankCost& cost = out.ranks[at];
    cost.bytes = out.plan.chosen.bytes + (held ? share : facts.buffers);
    cost.first = first.ranks()[at];
    cost.further = further.ranks()[at];
    const SegmentRange own{rows.first[at], rows.first[at + 1]};
    cost.further_seconds =
        core_speed::scatter * shared * static_cast<double>(own.size()) / std::max(1.0, all.rows);
    cost.first_seconds = cost.further_seconds + (rank == 0 ? core_speed::eigen * serial : 0);
  }
}

}  // namespace mercer
