#include "pca/kernel/kernel_shares.hpp"

#include "core/memory.hpp"
#include "core/require.hpp"
#include "core/team.hpp"
#include "core/weights.hpp"
#include "pca/all_rows.hpp"
#include "pca/kernel/kernel_pca.hpp"
#include "pca/method_cost.hpp"
#include "pca/plan_steps.hpp"
#include "pca/validate.hpp"

#include <mercer/data.hpp>
#include <mercer/plan.hpp>
#include <mercer/team_ledger.hpp>

#include <algorithm>
#include <optional>
#include <vector>

namespace mercer {

namespace {

/// The plan of all ranks is that of rank 0, as far as results depend on it.
void settle_plan(Team& team, Plan& plan) {
  Vector<double> chosen(3);
  chosen << static_cast<double>(plan.solver),
      plan.otherwise ? static_cast<double>(*plan.otherwise) : -1.0, plan.work;
  from_root(team, chosen);
  plan.solver = static_cast<Solver>(static_cast<int>(chosen[0]));
  plan.otherwise.reset();
  if (chosen[1] >= 0) plan.otherwise = static_cast<Solver>(static_cast<int>(chosen[1]));
  plan.work = chosen[2];
}

}  // namespace

template <class T>
Model<T> fit_kernel_shares(Team& team, const Rows<T>& mine, const double* weights,
                           const FitOptions& asked, const Schema& schema) {
  FitOptions options = asked;
  for (const std::int64_t bytes : all_of(team, static_cast<std::int64_t>(asked.memory)))
    options.memory = std::min(options.memory, static_cast<std::size_t>(bytes));
  const double entries = static_cast<double>(scan(team, mine.entries()).total);
  const double each = sizeof(T) + (mine.sparse() ? sizeof(std::int32_t) : 0);
  const double rows = static_cast<double>(scan(team, mine.rows()).total);
  const double taken = entries * each + rows * (weights ? 8 : 0) + rows * (mine.sparse() ? 8 : 0);
  const double left = static_cast<double>(options.memory) - taken;
  agree(team, [&] {
    require(left > 0, Errc::out_of_memory,
            "every process needs all {} rows for an exact kernel, {}, and `memory` is {}; use a "
            "larger `memory`, or an approximation",
            rows, format_bytes(taken), format_bytes(static_cast<double>(options.memory)));
  });
  const AllRows<T> all(team, mine, weights);
  Plan plan;
  agree(team, [&] {
    require_weights(all.weights(), all.rows().rows());
    plan = mercer::plan(facts_of(all.rows(), options, left), options);
  });
  settle_plan(team, plan);
  return fit_kernel(all.rows(), std::move(plan), options, all.weights(), schema, team);
}

template <class T>
Model<T> fit_kernel_shares(Source<T>& source, const FitOptions& asked) {
  Team& team = *asked.team;
  FitOptions options = asked;
  std::optional<Block<T>> held;
  Table<T> table;
  agree(team, [&] {
    held = source.whole();
    if (held) return;
    table = read_all(source, options.memory);
    const auto taken = static_cast<std::size_t>(row_bytes(facts_of(table.rows(), options, 0)));
    options.memory -= std::min(options.memory, taken);
  });
  const Rows<T> rows = held ? held->rows : table.rows();
  const double* weights = held                    ? weights_of(held->weights, rows.rows())
                          : table.weights.empty() ? nullptr
                                                  : table.weights.data();
  // Ranks without rows have no weights to show; all others agree.
  enum : std::int64_t { without, weighted, empty };
  const auto all = all_of(team, rows.rows() == 0 ? empty : weights ? weighted : without);
  const bool any = std::ranges::find(all, weighted) != all.end();
  agree(team, [&] {
    require(!any || std::ranges::find(all, without) == all.end(), Errc::bad_data,
            "some of the processes have `weights` and others have none; give them to all");
  });
  constexpr double none = 1;
  Model<T> model =
      fit_kernel_shares(team, rows, any && !weights ? &none : weights, options, source.schema());
  agree(team, [&] { source.require_unchanged(); });
  return model;
}

#define MERCER_INSTANTIATE(T)                                                                  \
  template Model<T> fit_kernel_shares(Source<T>&, const FitOptions&);                          \
  template Model<T> fit_kernel_shares(Team&, const Rows<T>&, const double*, const FitOptions&, \
                                      const Schema&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
