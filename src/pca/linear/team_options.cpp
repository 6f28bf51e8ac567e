#include "pca/linear/team_options.hpp"

#include "core/require.hpp"
#include "core/team.hpp"
#include "pca/linear/solver_row.hpp"

#include <mercer/version.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <utility>
#include <vector>

namespace mercer {

namespace {

/// A name and a value per line.
std::string text_of(const FitOptions& o, const Schema& schema, const std::string& map,
                    bool single) {
  std::string out;
  const auto line = [&](std::string_view name, const auto& value) {
    out += fmt::format("{}\t{}\n", name, value);
  };
  const Components& c = o.components;
  line("the version of Mercer", MERCER_VERSION);
  line("the precision", single ? "single" : "double");
  line("the number of columns", schema.features);
  line("the column names", fmt::format("{}", fmt::join(schema.feature_names, ",")));
  line("the label column", schema.label);
  line("the id column", schema.id);
  line("the kind of rows", schema.sparse ? "sparse" : "dense");
  line("the map", map);
  line("`components`",
       fmt::format("{}/{}/{}/{}", static_cast<int>(c.kind()), c.count(), c.fraction(), c.soft()));
  line("`keep_null`", o.keep_null);
  line("`kernel`", o.kernel ? o.kernel->text() : "");
  line("`precomputed`", o.precomputed);
  line("`clip`", o.clip);
  line("`approx`", o.approx ? text_of(*o.approx) : "");
  line("`seconds`", o.seconds);
  line("`solver`", static_cast<int>(o.solver));
  line("`tolerance`", o.tolerance);
  line("the centring", o.center);
  line("`scale`", static_cast<int>(o.scale));
  line("`ddof`", o.ddof);
  line("`missing`", static_cast<int>(o.missing));
  line("`keep_rows`", o.keep_rows);
  line("the seed", o.seed);
  return out;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace

void require_same(Team& team, const FitOptions& options, const Schema& schema,
                  const std::string& map, bool single) {
  const std::string mine = text_of(options, schema, map, single);
  std::string of_root = mine;
  from_root(team, of_root);
  agree(team, [&] {
    const auto own = lines_of(mine), root = lines_of(of_root);
    for (std::size_t i = 0; i < own.size() && i < root.size(); ++i)
      require(own[i] == root[i], Errc::bad_option,
              "{} of rank {} is not that of rank 0; give all ranks the same options, and rows with "
              "the same columns",
              own[i].substr(0, own[i].find('\t')), team.rank());
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
