#include <mercer/fit.hpp>

#include "core/memory.hpp"
#include "core/require.hpp"
#include "core/team.hpp"
#include "core/weights.hpp"
#include "maps/budget.hpp"
#include "maps/expression_map.hpp"
#include "maps/feature_error.hpp"
#include "maps/from_text.hpp"
#include "model/parts.hpp"
#include "model/relations.hpp"
#include "pca/averaged_source.hpp"
#include "pca/feature_rounding.hpp"
#include "pca/kernel/approximate.hpp"
#include "pca/kernel/kernel_pca.hpp"
#include "pca/kernel/kernel_shares.hpp"
#include "pca/linear/fit_linear.hpp"
#include "pca/linear/fit_shares.hpp"
#include "pca/mapped_source.hpp"
#include "pca/method_cost.hpp"
#include "pca/model_of.hpp"
#include "pca/passes.hpp"
#include "pca/plan_steps.hpp"
#include "pca/retained_rows.hpp"
#include "pca/saved_fit.hpp"
#include "pca/standard.hpp"
#include "pca/steps.hpp"
#include "pca/validate.hpp"

#include <mercer/data.hpp>
#include <mercer/incremental_kernel.hpp>

#include <algorithm>
#include <chrono>
#include <type_traits>

namespace mercer {

namespace {

bool in_kernel_space(const FitOptions& options) { return options.kernel || options.precomputed; }

/// Rows in memory, by the method of the plan.
template <class T>
Model<T> fit_rows(const Rows<T>& x, const Plan& plan, const FitOptions& options,
                  const double* weights, Schema schema) {
  schema.weighted = weights != nullptr;
  if (in_kernel_space(options) && !plan.approx)
    return fit_kernel(x, plan, options, weights, schema);
  require_weights(weights, x.rows());
  require(x.cols() > 0, Errc::bad_data, "the data have no columns");
  Passes<T> passes(x, weights, options.monitor);
  return plan.approx ? fit_approximate(passes, plan, options, schema)
                     : fit_linear(passes, plan, options, schema);
}

template <class T>
Model<T> fit_once(Source<T>& source, const Plan& plan, const FitOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  IncrementalKernelPca<T> pca(source.schema().features, options);
  while (const auto block = source.next()) pca.update(block->rows, block->weights);
  require(pca.rows() > 0, Errc::bad_data, "{} has no rows", Input(source.name()));
  ModelParts<T> parts = pca.model().parts();
  parts.feature_names = source.schema().feature_names;
  parts.label_column = source.schema().label;
  parts.id_column = source.schema().id;
  parts.report.plan = plan;
  parts.report.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return Model<T>(std::move(parts));
}

/// Fits by `method`, which takes a source, and stores the rows of `keep_rows`.
template <class T, class Method>
Model<T> keeping_rows(Source<T>& source, const FitOptions& options, const Method& method) {
  if (!keeps_rows(options)) return method(source);
  const double bytes = static_cast<double>(options.keep_rows) *
                       static_cast<double>(source.schema().features) * sizeof(T);
  if (bytes > static_cast<double>(options.memory) / 4) {
    FitOptions enough = options;
    enough.memory = static_cast<std::size_t>(4 * bytes + 1);
    const std::string more = least_memory(source, enough);
    fail(Errc::out_of_memory,
         "`keep_rows={}` of {} columns take {}, more than a quarter of the memory; keep fewer{}",
         options.keep_rows, source.schema().features, format_bytes(bytes),
         more.empty() ? fmt::format("; at least {} are needed", format_least_bytes(4 * bytes + 1))
                      : more);
  }
  KeepingSource<T> keeping(source, options);
  Model<T> model = method(keeping);
  return with_rows(std::move(model), keeping.take(), source.schema().sparse);
}

template <class T>
Model<T> fit_as_planned(Source<T>& source, const FitOptions& options) {
  Facts announced = facts_of(source, options);
  Plan before = plan(announced, options);
  const auto all = source.whole();
  if (!before.refusal.empty() && !all && source.can_rewind() && options.seconds == 0) {
    // What the source announced was an estimate.
    count_rows(source, announced);
    before = plan(announced, options);
  }
  if (before.once()) return fit_once(source, before, options);
  if (before.streamed()) {
    Passes<T> passes(source);
    return before.approx ? fit_approximate(passes, before, options, source.schema())
                         : fit_linear(passes, before, options, source.schema());
  }
  if (!all) require_possible(before);  // before all rows are read
  // The rows may differ from the announced ones, or be more: the method is planned again.
  const auto fit_held = [&](const Rows<T>& rows, const double* weights) {
    Facts facts = facts_of(rows, options, 0, announced.speed);
    facts.budget = announced.budget - row_bytes(facts);
    return fit_rows(rows, plan(facts, options), options, weights, source.schema());
  };
  if (all) {
    Model<T> model = fit_held(all->rows, weights_of(all->weights, all->rows.rows()));
    // A memory map has the rows of the file as opened only if the file was not written to.
    source.require_unchanged();
    return model;
  }
  const Table<T> table = read_all(source, options.memory);
  return fit_held(table.rows(), table.weights.empty() ? nullptr : table.weights.data());
}

template <class T>
Model<T> fit_source(Source<T>& source, const FitOptions& options) {
  if (over_team(options))
    return options.kernel && !options.approx ? fit_kernel_shares(source, options)
                                             : fit_shares(source, options);
  try {
    return fit_as_planned(source, options);
  } catch (const Error& error) {
    if (error.code() != Errc::out_of_memory) throw;
    if (source.can_rewind()) source.rewind();
    throw Error(error.code(), error.what() + least_memory(source, options), error.input());
  }
}

/// Linear PCA of the features as they were rounded, with intervals that hold the exact ones.
template <class T, class Out>
ModelParts<Out> fit_features_in(Source<T>& source, const Map<Out>& map, const Standard* standard,
                                const FitOptions& options, Index first) {
  const CellError cells = standard ? cell_error<Out>(*standard) : CellError{};
  FeatureErrorSum errors{.cells = cells};
  const auto features = mapped_source(source, map, standard, options.threads, &errors, first);
  FitOptions inner = options;
  inner.scale = Scale::none;
  inner.missing = Missing::error;
  ModelParts<Out> parts = fit_source(*features, inner).parts();
  const double allowed =
      std::is_same_v<T, float> ? std::max(options.tolerance, 1e-5) : options.tolerance;
  add_feature_rounding(parts, map, cells, allowed, errors.measured ? errors.squares : -1);
  return parts;
}

ModelParts<float> narrowed(ModelParts<double> from) {
  ModelParts<float> parts;
  parts.components = from.components.cast<float>();
  parts.mean = from.mean.cast<float>();
  parts.mean_rest = (from.mean - parts.mean.cast<double>()).cast<float>();
  parts.eigenvalues = std::move(from.eigenvalues);
  parts.label_column = std::move(from.label_column);
  parts.id_column = std::move(from.id_column);
  parts.report = std::move(from.report);
  return parts;
}

/// Monomials of floats in double: linear PCA computes in double for float rows, too.
template <class T>
ModelParts<T> fit_features(Source<T>& source, const std::shared_ptr<const Map<T>>& map,
                           const Standard* standard, const FitOptions& options, Index first) {
  if constexpr (std::is_same_v<T, float>) {
    if (const auto* wider = dynamic_cast<const HasWideMap*>(map.get()))
      return narrowed(fit_features_in(source, *wider->wide(), standard, options, first));
    if (feature_error(*map).degree > 0) {
      const auto wide = map_from_text<double>(map->text(), map->inputs());
      return narrowed(fit_features_in(source, *wide, standard, options, first));
    }
  }
  return fit_features_in(source, *map, standard, options, first);
}

template <class T>
Model<T> fit_mapped(Source<T>& source, std::shared_ptr<const Map<T>> map,
                    const FitOptions& options) {
  require(!in_kernel_space(options), Errc::bad_option, "a kernel and a map are mutually exclusive");
  require(map && map->inputs() == source.schema().features, Errc::bad_data,
          "the map takes {} columns, {} has {}", map ? map->inputs() : 0, Input(source.name()),
          source.schema().features);
  if (map->is_identity()) return fit_source(source, options);
  const Schema schema = source.schema();
  const double d = static_cast<double>(map->features());
  // The covariance matrix, or the features themselves where the rows are fewer.
  const double rows = static_cast<double>(source.expected_rows());
  const auto require_room = [&] {
    try {
      require_fits(*map, rows > 0 ? std::min(d, rows) : d, options.memory);
    } catch (const Error& error) {
      throw Error(error.code(), error.what() + least_memory(source, options, map.get()));
    }
  };
  if (over_team(options)) agree(*options.team, require_room);
  else require_room();

  // The map sees rows with their missing cells filled in, and z-scores; its own features are
  // then taken as they are.
  Standard standard;
  Index first = 0;  // of these rows in those of all processes
  const bool once = !over_team(options) && !changes_rows(options) && !source.can_rewind();
  if (over_team(options)) {
    standard = standard_of_shares(source, options, first);
  } else if (!once) {
    Passes<T> passes(source);
    standard = find_standard(passes, options);
    source.rewind();
  }
  AveragedSource<T> averaged(source, options.threads);
  ModelParts<T> parts = fit_features(once ? static_cast<Source<T>&>(averaged) : source, map,
                                     changes_rows(options) ? &standard : nullptr, options, first);
  if (once) {
    standard.mean = averaged.means().mean();
    standard.rest = averaged.means().rest();
  }
  name_terms(parts.report.relations, *map);
  parts.map = std::move(map);
  store(standard, parts);
  add_reason(parts.report.certificate, constant_columns(standard.as_constant, "not scaled"));
  require_representable(parts);
  parts.feature_names = schema.feature_names;
  parts.column_variance.resize(0);  // those of the features are of no column
  return Model<T>(std::move(parts));
}

}  // namespace

template <class T>
Model<T> fit(const Rows<T>& x, const FitOptions& asked, Weights given) {
  if (over_team(asked)) return fit(*from_memory(x, given), asked);
  const double* weights = weights_of(given, x.rows());
  validate(asked);
  const FitOptions options = settled(asked);
  require_weights(weights, x.rows());
  if (keeps_rows(options) || takes_steps(options)) return fit(*from_memory(x, given), options);
  const auto all = from_memory(x, given);
  const SavedFit saved(options, *all);
  const Facts facts = facts_of(x, saved.options(), static_cast<double>(saved.options().memory));
  return fit_rows(x, plan(facts, saved.options()), saved.options(), weights, Schema{});
}

template <class T>
Model<T> fit(Source<T>& source, const FitOptions& asked) {
  if (over_team(asked)) {
    const SavedFit saved(agreed<T>(asked, source.schema()), source);
    return fit_source(source, saved.options());
  }
  validate(asked);
  const FitOptions options = settled(asked);
  if (takes_steps(options)) return fit_in_steps(source, {}, options);
  const SavedFit saved(options, source);
  return keeping_rows(source, saved.options(),
                      [&](Source<T>& rows) { return fit_source(rows, saved.options()); });
}

template <class T>
Model<T> fit(Source<T>& source, std::shared_ptr<const Map<T>> map, const FitOptions& asked) {
  if (over_team(asked)) {
    const SavedFit saved(agreed(asked, source.schema(), map.get()), source, map.get());
    return fit_mapped(source, map, saved.options());
  }
  validate(asked);
  const FitOptions options = settled(asked);
  if (takes_steps(options)) {
    const bool mapped = map && !map->is_identity();
    return fit_in_steps(source, mapped ? std::move(map) : nullptr, options);
  }
  const SavedFit saved(options, source, map.get());
  return keeping_rows(source, saved.options(),
                      [&](Source<T>& rows) { return fit_mapped(rows, map, saved.options()); });
}

template <class T>
Model<T> fit(const Rows<T>& x, std::shared_ptr<const Map<T>> map, const FitOptions& options,
             Weights weights) {
  return fit(*from_memory(x, weights), std::move(map), options);
}

#define MERCER_INSTANTIATE(T)                                                          \
  template Model<T> fit(const Rows<T>&, const FitOptions&, Weights);                   \
  template Model<T> fit(Source<T>&, const FitOptions&);                                \
  template Model<T> fit(Source<T>&, std::shared_ptr<const Map<T>>, const FitOptions&); \
  template Model<T> fit(const Rows<T>&, std::shared_ptr<const Map<T>>, const FitOptions&, Weights);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
