#pragma once
// What exact kernel PCA costs each process of a team.

#include <mercer/team_plan.hpp>

namespace mercer {

/// Sets `out.plan` and `out.ranks`; `facts.budget` is that of a process, which takes all rows.
void plan_kernel_team(TeamPlan& out, const Facts& facts, const FitOptions& options);

}  // namespace mercer
