#include "pca/linear/fit_shares.hpp"

#include "core/memory.hpp"
#include "core/packed.hpp"
#include "core/parallel.hpp"
#include "core/require.hpp"
#include "core/team.hpp"
#include "core/weights.hpp"
#include "maps/expression_map.hpp"
#include "model/codec.hpp"
#include "pca/all_rows.hpp"
#include "pca/kernel/approximate.hpp"
#include "pca/linear/fit_linear.hpp"
#include "pca/linear/linear_team_cost.hpp"
#include "pca/linear/solver_row.hpp"
#include "pca/linear/team_options.hpp"
#include "pca/method_cost.hpp"
#include "pca/orders.hpp"
#include "pca/plan_steps.hpp"
#include "pca/team_rows.hpp"
#include "pca/validate.hpp"

#include <mercer/data.hpp>

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

namespace mercer {

namespace {

/// This rank's rows, in memory where they fit into half of it, with passes over them.
template <class T>
class ShareOfRows {
 public:
  ShareOfRows(Source<T>& source, const FitOptions& options)
      : source_(source), team_(*options.team) {
    agree(team_, [&] {
      if (const auto all = source.whole()) {
        passes_.emplace(all->rows, weights_of(all->weights, all->rows.rows()), options.monitor);
        return;
      }
      const Facts facts = facts_of(source, options);
      const bool large = row_bytes(facts) > facts.budget / 2;
      if (source.can_rewind() && (large || facts.rows == 0)) {
        passes_.emplace(source);
        return;
      }
      table_ = read_all(source, options.memory);
      const double* const weights = table_.weights.empty() ? nullptr : table_.weights.data();
      passes_.emplace(table_.rows(), weights, options.monitor);
      budget_ = row_bytes(facts_of(table_.rows(), options, 0));
    });
    budget_ = static_cast<double>(options.memory) - budget_;
    join_team(*passes_, team_);
  }

  Passes<T>& passes() { return *passes_; }
  double budget() const { return budget_; }  ///< bytes in addition to the rows

  /// All rows, on all ranks.
  AllRows<T> all_rows(std::size_t memory) {
    Table<T> read;
    agree(team_, [&] {
      if (passes_->memory()) return;
      source_.rewind();
      read = read_all(source_, memory);
    });
    const Rows<T> mine = passes_->memory() ? *passes_->memory() : read.rows();
    const double* weights = passes_->memory()      ? passes_->memory_weights()
                            : read.weights.empty() ? nullptr
                                                   : read.weights.data();
    // A rank without rows has no weights to show.
    constexpr double none = 1;
    return {team_, mine, passes_->spread().weighted && !weights ? &none : weights};
  }

  /// A memory map has the rows of the file as opened only if the file was not written to.
  void require_unchanged() const {
    agree(team_, [&] { source_.require_unchanged(); });
  }

 private:
  Source<T>& source_;
  Team& team_;
  Table<T> table_;
  double budget_ = 0;
  std::optional<Passes<T>> passes_;
};

template <class T>
Plan plan_of_all(const Passes<T>& passes, const FitOptions& options, double budget) {
  const RowSpread& spread = passes.spread();
  const Facts facts{.rows = static_cast<double>(spread.rows),
                    .columns = static_cast<double>(passes.features()),
                    .entries = static_cast<double>(spread.entries),
                    .number_bytes = sizeof(T),
                    .sparse = passes.sparse(),
                    .in_memory = true,
                    .budget = budget,
                    .threads = thread_count(options.threads)};
  return plan_distributed(facts, options);
}

bool needs_all_rows(const Plan& plan) {
  return !plan.approx && !linear_solver(plan.solver)->for_shares();
}

template <class T>
void require_same_map(const Map<T>* map) {
  if (!map) return;
  require(!map->text().starts_with("function("), Errc::bad_option,
          "functions of a program are not distributed over several processes; use a map that a "
          "text describes, or one process");
  require(!dynamic_cast<const MeasuresFeatureError*>(map), Errc::bad_option,
          "expressions as a map are not distributed over several processes; compute the columns "
          "first, or use one process");
}

}  // namespace

template <class T>
FitOptions agreed(const FitOptions& asked, const Schema& schema, const Map<T>* map) {
  Team& team = *asked.team;
  require_same(team, asked, schema, map ? map->text() : "", std::is_same_v<T, float>);
  FitOptions options;
  agree(team, [&] {
    validate(asked);
    require_distributed(asked);
    require_same_map(map);
    options = settled(asked);
    require(schema.features > 0, Errc::bad_data, "the data have no columns");
  });
  for (const std::int64_t bytes : all_of(team, static_cast<std::int64_t>(options.memory)))
    options.memory = std::min(options.memory, static_cast<std::size_t>(bytes));
  return options;
}

template <class T>
Model<T> fit_shares(Source<T>& source, const FitOptions& options) {
  Team& team = *options.team;
  ShareOfRows<T> share(source, options);
  Schema schema = source.schema();
  schema.weighted = share.passes().spread().weighted;
  Plan plan;
  std::int64_t whole = 0;
  on_root(team, [&] {
    plan = plan_of_all(share.passes(), options, share.budget());
    whole = needs_all_rows(plan) ? 1 : 0;
  });
  team.broadcast(0, &whole, sizeof whole);
  std::string bytes;
  std::optional<Model<T>> model;
  const auto fit_by = [&](Passes<T>& passes) {
    direct(passes, options, [&] {
      model.emplace(plan.approx ? fit_approximate(passes, plan, options, schema)
                                : fit_linear(passes, plan, options, schema));
      bytes = model->serialize();
    });
  };
  if (whole != 0) {
    const AllRows<T> all = share.all_rows(options.memory);
    Passes<T> passes(all.rows(), all.weights(), options.monitor);
    passes.lead(team);
    fit_by(passes);
  } else {
    fit_by(share.passes());
  }
  share.require_unchanged();
  from_root(team, bytes);
  agree(team, [&] {
    if (!model) model.emplace(decode<T>(bytes, "the model of rank 0"));
  });
  return std::move(*model);
}

template <class T>
Standard standard_of_shares(Source<T>& source, const FitOptions& options, Index& first) {
  Team& team = *options.team;
  Passes<T> passes(source);
  join_team(passes, team);
  first = passes.spread().first;
  Standard out;
  direct(passes, options, [&] { out = find_standard(passes, options); });
  std::string bytes = packed(out);
  from_root(team, bytes);
  unpack(bytes, out);
  agree(team, [&] { source.rewind(); });
  return out;
}

#define MERCER_INSTANTIATE(T)                                                  \
  template FitOptions agreed(const FitOptions&, const Schema&, const Map<T>*); \
  template Model<T> fit_shares(Source<T>&, const FitOptions&);                 \
  template Standard standard_of_shares(Source<T>&, const FitOptions&, Index&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
