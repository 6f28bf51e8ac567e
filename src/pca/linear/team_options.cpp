#include "pca/linear/team_options.hpp"

#include "core/require.hpp"
#include "core/team.hpp"
#include "pca/fit_identity.hpp"
#include "pca/linear/solver_row.hpp"

#include <string_view>

namespace mercer {

void require_same(Team& team, const FitOptions& options, const Schema& schema,
                  const std::string& map, bool single) {
  const std::string mine = identity_of(options, schema, map, single) +
                           (options.checkpoint ? "`checkpoint`\tsome\n" : "`checkpoint`\tnone\n");
  std::string of_root = mine;
  from_root(team, of_root);
  agree(team, [&] {
    const std::string difference = first_difference(mine, of_root);
    require(difference.empty(), Errc::bad_option,
            "{} of rank {} is not that of rank 0; give all ranks the same options, and rows with "
            "the same columns",
            difference, team.rank());
  });
}

void require_distributed(const FitOptions& o) {
  const auto refuse = [](bool asked, std::string_view what) {
    require(!asked, Errc::bad_option,
            "{} is not distributed over several processes; use one process", what);
  };
  using Kind = Components::Kind;
  refuse(o.precomputed, "`precomputed`");
  refuse(o.clip, "`clip`");
  refuse(o.approx && o.kernel && o.kernel->text().find("function(") != std::string::npos,
         "an approximation of a user-defined kernel");
  refuse(o.seconds > 0, "`seconds`");
  refuse(o.missing == Missing::em, "`missing=em`");
  refuse(o.keep_rows > 0, "`keep_rows`");
  refuse(o.components.kind() == Kind::significant, "`components=significant()`");
  refuse(o.components.kind() == Kind::gavish_donoho, "`components=gavish_donoho()`");
  refuse(o.components.kind() == Kind::minka, "`components=minka()`");
  if (o.solver == Solver::automatic) return;
  if (o.kernel) {
    require(o.solver == Solver::krylov, Errc::bad_option,
            "this solver is not distributed over several processes for kernels; use "
            "`solver=krylov`, or one process");
    return;
  }
  const LinearSolverRow* const row = linear_solver(o.solver);
  require(row && row->distributed, Errc::bad_option,
          "`solver={}` is not distributed over several processes; use `solver=covariance`, or one "
          "process",
          row ? row->name : "dense");
}

}  // namespace mercer
