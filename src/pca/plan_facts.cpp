// The facts of rows and sources, and the plan of a fit with the same arguments.
#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "core/require.hpp"
#include "pca/kernel/approx_row.hpp"
#include "pca/method_cost.hpp"
#include "pca/plan_steps.hpp"
#include "pca/steps.hpp"
#include "pca/validate.hpp"

#include <algorithm>

namespace mercer {

namespace {

void take_speed(Facts& facts, const FitOptions& options) {
  if (options.seconds > 0 && options.kernel && !facts.speed && facts.rows > 0)
    facts.speed = measured_speed(*options.kernel, facts.entries / facts.rows, options.threads);
}

/// Bytes that a fit may turn out to need beside its plan: kernels see rows that were moved to their
/// mean, or are in float, in a separate copy.
double unforeseen_bytes(const Facts& f, const FitOptions& o, double memory) {
  if (!o.kernel) return 0;
  if (o.approx) {
    // Landmarks are chosen from a sample, of a quarter of the memory at most.
    if (!row_of(*o.approx).landmarks) return 0;
    const double sample =
        std::max(1000.0, static_cast<double>(row_of(*o.approx).sample(*o.approx)));
    return std::min(memory / 4, std::min(1.0, sample / std::max(1.0, f.rows)) * row_bytes(f));
  }
  return f.entries * (f.number_bytes + (f.number_bytes < sizeof(double) ? sizeof(double) : 0));
}

/// Of the features of a source, which pass by in blocks; monomials of floats are doubles.
template <class T>
Facts mapped_facts(const Source<T>& source, const Map<T>& map, const FitOptions& options) {
  Facts facts = facts_of(source, options);
  facts.columns = static_cast<double>(map.features());
  facts.entries = facts.rows * facts.columns;
  facts.sparse = false;
  facts.number_bytes = sizeof(double);
  facts.buffers += std::max(double{8 << 20}, 16 * facts.columns * facts.number_bytes);
  return facts;
}

/// What `fit` asks of a map before anything is allocated (maps/budget.hpp).
double feature_matrix_bytes(const Facts& f) {
  const double rows = f.rows > 0 ? std::min(f.columns, f.rows) : f.columns;
  return f.columns * rows * f.number_bytes;
}

}  // namespace

template <class T>
void count_rows(Source<T>& source, Facts& facts) {
  facts.rows = facts.entries = 0;
  while (const auto block = source.next()) {
    facts.rows += static_cast<double>(block->rows.rows());
    facts.entries += static_cast<double>(block->rows.entries());
  }
  if (source.can_rewind()) source.rewind();
}

Plan plan_with(double memory, const Facts& announced, const std::optional<Facts>& held,
               const FitOptions& options) {
  Facts facts = announced;
  facts.budget = memory;
  const Plan first = plan(facts, options);
  if (first.rows != "in memory" || !held) return first;
  facts = *held;
  facts.budget = memory - row_bytes(facts);
  return plan(facts, options);
}

std::string least_memory(double now, const std::function<bool(double)>& enough) {
  double low = now, high = 2 * now;
  for (; !enough(high); low = high, high *= 2)
    if (high > 1e15) return {};  // it is not for memory
  while (high - low > 0.001 * low) (enough((low + high) / 2) ? high : low) = (low + high) / 2;
  // As it is shown, it is rounded up; that must do as well.
  std::string text = format_least_bytes(high);
  while (!enough(static_cast<double>(parse_bytes(text, "memory"))))
    text = format_least_bytes(high *= 1.01);
  return text;
}

template <class T>
std::function<bool(double)> enough_memory(Source<T>& source, const FitOptions& options,
                                          const Map<T>* map) {
  Facts facts = map ? mapped_facts(source, *map, options) : facts_of(source, options);
  std::optional<Facts> held;
  if (const auto all = map ? std::nullopt : source.whole())
    held = facts_of(all->rows, options, 0, facts.speed);
  else if (!source.can_rewind()) return {};
  else count_rows(source, facts);
  if (map) facts.entries = facts.rows * facts.columns;
  take_speed(facts, options);
  FitOptions certain = options;
  // Krylov may need vectors for all components in the end.
  if (options.kernel && options.solver == Solver::automatic &&
      options.components.kind() == Components::Kind::all)
    certain.solver = Solver::dense;
  return [=](double memory) {
    const double spare = unforeseen_bytes(held ? *held : facts, options, memory);
    const auto possible = [&](const Facts& announced) {
      const Plan p = plan_with(memory - spare, announced, held, certain);
      if (!p.refusal.empty()) return false;
      // The last of all variances may be too small for a Gram matrix, and need an SVD of the rows.
      return p.solver != Solver::gram || certain.components.kind() != Components::Kind::all ||
             wide_svd_bytes(p.facts.rows, p.facts.columns) <= p.work;
    };
    if (map && feature_matrix_bytes(facts) > memory) return false;
    if (options.seconds == 0 || !facts.speed) return possible(facts);
    // The speed is measured again by the fit, which may then decide otherwise.
    for (const double times : {0.25, 1.0, 4.0}) {
      Facts measured = facts;
      measured.speed->pairs *= times;
      measured.speed->flops *= times;
      if (!possible(measured)) return false;
    }
    return true;
  };
}

template <class T>
bool seems_enough(Source<T>& source, const FitOptions& options, const Map<T>* map) {
  const Facts facts = map ? mapped_facts(source, *map, options) : facts_of(source, options);
  std::optional<Facts> held;
  if (const auto all = map ? std::nullopt : source.whole())
    held = facts_of(all->rows, options, 0, facts.speed);
  return plan_with(facts.budget, facts, held, options).refusal.empty();
}

template <class T>
std::string least_memory(Source<T>& source, const FitOptions& options, const Map<T>* map) {
  const auto enough = enough_memory(source, options, map);
  const auto now = static_cast<double>(options.memory);
  if (!enough || enough(now)) return {};
  const std::string least = least_memory(now, enough);
  return least.empty() ? least : fmt::format("; at least {} are needed", least);
}

template <class T>
Facts facts_of(const Rows<T>& x, const FitOptions& options, double budget,
               const std::optional<Speed>& speed) {
  Facts facts{.rows = static_cast<double>(x.rows()),
              .columns = static_cast<double>(x.cols()),
              .entries = x.rows() > 0 ? static_cast<double>(x.entries()) : 0.0,
              .number_bytes = sizeof(T),
              .sparse = x.sparse(),
              .in_memory = true,
              .budget = budget,
              .threads = thread_count(options.threads),
              .speed = speed};
  take_speed(facts, options);
  return facts;
}

template <class T>
Facts facts_of(const Source<T>& source, const FitOptions& options) {
  const Schema& schema = source.schema();
  Facts facts{.rows = static_cast<double>(source.expected_rows()),
              .columns = static_cast<double>(schema.features),
              .number_bytes = sizeof(T),
              .sparse = schema.sparse,
              .rewindable = source.can_rewind(),
              .budget = static_cast<double>(options.memory),
              .buffers = static_cast<double>(source.buffer_bytes()),
              .threads = thread_count(options.threads)};
  if (facts.sparse) return facts;  // how many entries is not known
  facts.entries = facts.rows * facts.columns;
  take_speed(facts, options);
  return facts;
}

template <class T>
Plan plan(const Rows<T>& x, const FitOptions& options) {
  validate(options);
  require_steps(options, false, false);
  return plan(facts_of(x, options, static_cast<double>(settled(options).memory)), options);
}

template <class T>
Plan plan(Source<T>& source, const FitOptions& options) {
  return plan(source, std::shared_ptr<const Map<T>>(), options);
}

template <class T>
Plan plan(Source<T>& source, std::shared_ptr<const Map<T>> map, const FitOptions& options) {
  const bool mapped = map && !map->is_identity();
  validate(options);
  require_steps(options, mapped, source.schema().weighted);
  Facts facts = facts_of(source, settled(options));
  if (mapped) {
    facts.columns = static_cast<double>(map->features());
    facts.entries = facts.rows * facts.columns;
    facts.sparse = false;
  }
  if (facts.rows == 0) count_rows(source, facts);
  if (mapped) facts.entries = facts.rows * facts.columns;
  take_speed(facts, options);
  // Rows that can be borrowed are counted exactly.
  std::optional<Facts> held;
  if (const auto all = mapped ? std::nullopt : source.whole())
    held = facts_of(all->rows, options, 0, facts.speed);
  Plan out = plan_with(facts.budget, facts, held, options);
  if (!out.refusal.empty())
    out.refusal += least_memory(source, settled(options), mapped ? map.get() : nullptr);
  return out;
}

#define MERCER_INSTANTIATE(T)                                                                      \
  template Facts facts_of(const Rows<T>&, const FitOptions&, double, const std::optional<Speed>&); \
  template Facts facts_of(const Source<T>&, const FitOptions&);                                    \
  template std::function<bool(double)> enough_memory(Source<T>&, const FitOptions&,                \
                                                     const Map<T>*);                               \
  template bool seems_enough(Source<T>&, const FitOptions&, const Map<T>*);                        \
  template std::string least_memory(Source<T>&, const FitOptions&, const Map<T>*);                 \
  template void count_rows(Source<T>&, Facts&);                                                    \
  template Plan plan(const Rows<T>&, const FitOptions&);                                           \
  template Plan plan(Source<T>&, const FitOptions&);                                               \
  template Plan plan(Source<T>&, std::shared_ptr<const Map<T>>, const FitOptions&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
