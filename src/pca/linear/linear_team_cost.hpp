#pragma once
// What linear PCA costs each process of a team, and the plan that all of them follow.

#include <mercer/team_plan.hpp>

namespace mercer {

/// The plan for all rows, `facts.budget` bytes beside them. Where the choice is free, it is among
/// the methods that are distributed.
Plan plan_distributed(const Facts& facts, const FitOptions& options);

/// Sets `out.plan` and `out.ranks`; `facts.budget` is that of a process, which has its share of the
/// rows in memory where it fits into half of it.
void plan_linear_team(TeamPlan& out, const Facts& facts, const FitOptions& options);

}  // namespace mercer
