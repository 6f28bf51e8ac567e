#include <mercer/fit.hpp>

#include "core/memory.hpp"
#include "core/require.hpp"
#include "core/weights.hpp"
#include "maps/budget.hpp"
#include "maps/feature_error.hpp"
#include "maps/from_text.hpp"
#include "pca/feature_rounding.hpp"
#include "pca/kernel/approximate.hpp"
#include "pca/kernel/kernel_pca.hpp"
#include "pca/linear/choose_solver.hpp"
#include "pca/linear/spectrum.hpp"
#include "pca/mapped_source.hpp"
#include "pca/model_of.hpp"
#include "pca/passes.hpp"
#include "pca/plan.hpp"
#include "pca/retained_rows.hpp"
#include "pca/steps.hpp"
#include "pca/validate.hpp"

#include <mercer/data.hpp>
#include <mercer/incremental_kernel.hpp>

#include <algorithm>
#include <chrono>
#include <type_traits>

namespace mercer {

namespace {

double budget(const FitOptions& options) {
  return options.memory > 0 ? static_cast<double>(options.memory)
                            : 0.8 * static_cast<double>(available_memory_bytes());
}

bool in_kernel_space(const FitOptions& options) { return options.kernel || options.precomputed; }

template <class T>
Model<T> solve(Passes<T>& passes, const Size& size, const FitOptions& options, const Schema& schema,
               double working_budget) {
  const auto start = std::chrono::steady_clock::now();
  Choice choice = choose_solver(size, options, working_budget);
  Spectrum s;
  ModelParts<T> parts;
  const auto take = [&] {
    s = find_spectrum(choice.solver, passes, options, working_budget);
    parts = parts_of<T>(s, passes.rows(), passes.weight(), options);
  };
  try {
    take();
  } catch (const Error& error) {
    // Products with vectors have only so many digits; where the choice is ours, take another.
    const bool ours = options.solver == Solver::automatic && choice.solver == Solver::randomized;
    if (!ours || (error.code() != Errc::not_converged && error.code() != Errc::bad_option)) throw;
    choice = choose_solver(size, options, working_budget, false);
    take();
  }
  const bool gram = choice.solver == Solver::gram, svd = choice.solver == Solver::svd;
  parts.feature_names = schema.feature_names;
  parts.label_column = schema.label;
  parts.id_column = schema.id;

  Report& report = parts.report;
  report.weighted = schema.weighted;
  report.solver.name = name_of(choice.solver);
  report.solver.why = choice.why;
  if (s.by_qr && !svd) report.solver.why += "; small variances by a QR of the centred rows";
  if (passes.exponent() != 0)
    report.solver.why += fmt::format("; rows scaled by 2^{} during the fit", passes.exponent());
  report.solver.passes = passes.count() + (passes.memory() && gram ? 2 : 0);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.peak_memory_bytes = peak_memory_bytes();
  return Model<T>(std::move(parts));
}

template <class T>
Model<T> fit_in_memory(const Rows<T>& x, const FitOptions& options, const double* weights,
                       Schema schema, double working_budget) {
  require_weights(weights, x.rows());
  schema.weighted = weights != nullptr;
  const Size size{.rows = static_cast<double>(x.rows()),
                  .cols = static_cast<double>(x.cols()),
                  .entries = static_cast<double>(x.entries()),
                  .sparse = x.sparse(),
                  .in_memory = true,
                  .bytes = sizeof(T)};
  require(x.cols() > 0, Errc::bad_data, "the data have no columns");
  Passes<T> passes(x, weights, options.monitor);
  return solve(passes, size, options, schema, working_budget);
}

/// Rows in memory, exactly or not, as the options ask.
template <class T>
Model<T> fit_kernel_rows(const Rows<T>& x, const FitOptions& options, const double* weights,
                         Schema schema, double working_budget) {
  Plan plan;
  if (!options.precomputed && x.rows() > 0)
    plan = plan_kernel(options, static_cast<double>(x.rows()),
                       static_cast<double>(x.entries()) / static_cast<double>(x.rows()),
                       working_budget, working_budget);
  if (!plan.approx) return fit_kernel(x, options, weights, schema, working_budget, plan.why);
  schema.weighted = weights != nullptr;
  Passes<T> passes(x, weights, options.monitor);
  return fit_approximate(passes, *plan.approx, plan.why, options, schema, working_budget);
}

template <class T>
Model<T> fit_once(Source<T>& source, const FitOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  IncrementalKernelPca<T> pca(source.schema().features, options);
  while (const auto block = source.next()) pca.update(block->rows, block->weights);
  require(pca.rows() > 0, Errc::bad_data, "{} has no rows", Input(source.name()));
  ModelParts<T> parts = pca.model().parts();
  parts.feature_names = source.schema().feature_names;
  parts.label_column = source.schema().label;
  parts.id_column = source.schema().id;
  parts.report.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return Model<T>(std::move(parts));
}

/// Bytes a source will take once it is read, or 0 when that cannot be told.
template <class T>
double expected_bytes(Source<T>& source) {
  return static_cast<double>(source.expected_rows()) *
         static_cast<double>(source.schema().features) * sizeof(T);
}

/// Bytes that rows take in memory.
template <class T>
double held_bytes(const Rows<T>& x) {
  const auto entries = static_cast<double>(x.entries());
  return x.sparse() ? entries * (sizeof(T) + sizeof(std::int32_t)) +
                          static_cast<double>(x.rows()) * sizeof(std::int64_t)
                    : entries * sizeof(T);
}

/// Rows of a memory map are those of the file as it was opened only when nobody wrote to it since.
template <class T, class Work>
Model<T> fit_borrowed(const Source<T>& source, const Work& work) {
  Model<T> model = work();
  source.require_unchanged();
  return model;
}

/// Fits by `road`, which takes a source, and keeps the rows that the options ask for.
template <class T, class Road>
Model<T> keeping_rows(Source<T>& source, const FitOptions& options, const Road& road) {
  if (!keeps_rows(options)) return road(source);
  const double bytes = static_cast<double>(options.keep_rows) *
                       static_cast<double>(source.schema().features) * sizeof(T);
  require(bytes <= budget(options) / 4, Errc::out_of_memory,
          "`keep_rows={}` of {} columns take {}, more than a quarter of the memory; keep fewer",
          options.keep_rows, source.schema().features, format_bytes(bytes));
  KeepingSource<T> keeping(source, options);
  Model<T> model = road(keeping);
  return with_rows(std::move(model), keeping.take(), source.schema().sparse);
}

template <class T>
Model<T> fit_source(Source<T>& source, const FitOptions& options) {
  const double allowed = budget(options), bytes = expected_bytes(source);
  if (in_kernel_space(options)) {
    const bool may_stream = (options.approx || options.seconds > 0) && source.can_rewind();
    if (may_stream && bytes > allowed / 2) {
      const Plan plan =
          plan_kernel(options, static_cast<double>(source.expected_rows()),
                      static_cast<double>(source.schema().features), allowed - bytes, allowed);
      if (plan.approx) {
        Passes<T> passes(source);
        return fit_approximate(passes, *plan.approx, plan.why, options, source.schema(), allowed);
      }
    }
    // Rows that come only once, as those of a pipe, choose their features as they come.
    if (options.approx && !source.can_rewind() && options.missing != Missing::mean)
      return fit_once(source, options);
    // Kernels compare every row with every other: all of them are needed at once.
    if (const auto all = source.whole())
      return fit_borrowed(source, [&] {
        return fit_kernel_rows(all->rows, options, weights_of(all->weights, all->rows.rows()),
                               source.schema(), allowed - held_bytes(all->rows));
      });
    const Table<T> table = read_all(source, static_cast<std::size_t>(allowed));
    return fit_kernel_rows(table.rows(), options,
                           table.weights.empty() ? nullptr : table.weights.data(), table.schema,
                           allowed - held_bytes(table.rows()));
  }
  // Half for the rows, half for the work.
  const bool keep = !source.can_rewind() || source.schema().sparse || bytes <= allowed / 2;
  if (keep) {
    if (const auto all = source.whole())
      return fit_borrowed(source, [&] {
        return fit_in_memory(all->rows, options, weights_of(all->weights, all->rows.rows()),
                             source.schema(), allowed - held_bytes(all->rows));
      });
    const Table<T> table = read_all(source, static_cast<std::size_t>(allowed));
    return fit_in_memory(table.rows(), options,
                         table.weights.empty() ? nullptr : table.weights.data(), table.schema,
                         allowed - held_bytes(table.rows()));
  }
  const Size size{.rows = static_cast<double>(source.expected_rows()),
                  .cols = static_cast<double>(source.schema().features),
                  .entries = bytes / sizeof(T),
                  .sparse = false,
                  .in_memory = false,
                  .bytes = sizeof(T)};
  Passes<T> passes(source);
  return solve(passes, size, options, source.schema(), allowed);
}

/// Linear PCA of the features as they were rounded, with intervals that hold the exact ones.
template <class T, class Out>
ModelParts<Out> fit_features_in(Source<T>& source, const Map<Out>& map, const Standard* standard,
                                const FitOptions& options) {
  const auto features = mapped_source(source, map, standard, options.threads);
  FitOptions inner = options;
  inner.scale = Scale::none;
  inner.missing = Missing::error;
  ModelParts<Out> parts = fit_source(*features, inner).parts();
  const double allowed =
      std::is_same_v<T, float> ? std::max(options.tolerance, 1e-5) : options.tolerance;
  add_feature_rounding(parts, map, standard ? cell_error<Out>(*standard) : CellError{}, allowed);
  return parts;
}

ModelParts<float> narrowed(ModelParts<double> from) {
  ModelParts<float> parts;
  parts.components = from.components.cast<float>();
  parts.mean = from.mean.cast<float>();
  parts.eigenvalues = std::move(from.eigenvalues);
  parts.label_column = std::move(from.label_column);
  parts.id_column = std::move(from.id_column);
  parts.report = std::move(from.report);
  return parts;
}

/// Monomials of floats in double: linear PCA is in double whatever its rows are.
template <class T>
ModelParts<T> fit_features(Source<T>& source, const std::shared_ptr<const Map<T>>& map,
                           const Standard* standard, const FitOptions& options) {
  if constexpr (std::is_same_v<T, float>) {
    if (feature_error(*map).degree > 0) {
      const auto wide = map_from_text<double>(map->text(), map->inputs());
      return narrowed(fit_features_in(source, *wide, standard, options));
    }
  }
  return fit_features_in(source, *map, standard, options);
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
  const double allowed = budget(options), d = static_cast<double>(map->features());
  // The covariance matrix, or the features themselves where the rows are fewer.
  const double rows = static_cast<double>(source.expected_rows());
  require_fits(*map, rows > 0 ? std::min(d, rows) : d, static_cast<std::size_t>(allowed));

  // The map sees rows with their missing cells filled in, and z-scores; its own features are
  // then taken as they are.
  Standard standard;
  if (changes_rows(options) || source.can_rewind()) {
    Passes<T> passes(source);
    standard = find_standard(passes, options);
    source.rewind();
  }
  ModelParts<T> parts =
      fit_features(source, map, changes_rows(options) ? &standard : nullptr, options);
  parts.map = std::move(map);
  parts.input_mean = standard.mean.cast<T>();
  parts.scale = standard.scale.cast<T>();
  require_representable(parts);
  parts.feature_names = schema.feature_names;
  parts.column_variance.resize(0);  // those of the features are of no column
  return Model<T>(std::move(parts));
}

}  // namespace

template <class T>
Model<T> fit(const Rows<T>& x, const FitOptions& options, Weights given) {
  const double* weights = weights_of(given, x.rows());
  validate(options);
  require_weights(weights, x.rows());
  if (keeps_rows(options) || takes_steps(options)) return fit(*from_memory(x, given), options);
  if (in_kernel_space(options))
    return fit_kernel_rows(x, options, weights, Schema{}, budget(options));
  return fit_in_memory(x, options, weights, Schema{}, budget(options));
}

template <class T>
Model<T> fit(Source<T>& source, const FitOptions& options) {
  validate(options);
  if (takes_steps(options)) return fit_in_steps(source, {}, options);
  return keeping_rows(source, options, [&](Source<T>& rows) { return fit_source(rows, options); });
}

template <class T>
Model<T> fit(Source<T>& source, std::shared_ptr<const Map<T>> map, const FitOptions& options) {
  validate(options);
  if (takes_steps(options)) {
    const bool mapped = map && !map->is_identity();
    return fit_in_steps(source, mapped ? std::move(map) : nullptr, options);
  }
  return keeping_rows(source, options,
                      [&](Source<T>& rows) { return fit_mapped(rows, map, options); });
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
