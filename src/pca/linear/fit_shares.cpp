#include "pca/linear/fit_shares.hpp"

#include "core/parallel.hpp"
#include "core/require.hpp"
#include "core/team.hpp"
#include "core/weights.hpp"
#include "maps/expression_map.hpp"
#include "model/codec.hpp"
#include "pca/linear/fit_linear.hpp"
#include "pca/linear/linear_team_cost.hpp"
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
  std::string bytes;
  std::optional<Model<T>> model;
  direct(share.passes(), options, [&] {
    const Plan plan = plan_of_all(share.passes(), options, share.budget());
    model.emplace(fit_linear(share.passes(), plan, options, schema));
    bytes = model->serialize();
  });
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
  from_root(team, out.mean);
  from_root(team, out.rest);
  from_root(team, out.scale);
  Vector<double> error(4), flags(static_cast<Index>(out.constant.size())),
      columns(static_cast<Index>(out.as_constant.size()));
  error << out.error.relative, out.error.shift, out.error.apart, 0;
  std::ranges::copy(out.constant, flags.begin());
  std::ranges::copy(out.as_constant, columns.begin());
  from_root(team, error);
  from_root(team, flags);
  from_root(team, columns);
  out.error = {.relative = error[0], .shift = error[1], .apart = error[2]};
  out.constant.clear();
  for (const double flag : flags) out.constant.push_back(flag != 0);
  out.as_constant.clear();
  for (const double column : columns) out.as_constant.push_back(static_cast<Index>(column));
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
