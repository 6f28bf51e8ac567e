// The facts of rows and sources, and the plan of a fit with the same arguments.
#include "core/parallel.hpp"
#include "core/require.hpp"
#include "pca/method_cost.hpp"
#include "pca/plan_steps.hpp"
#include "pca/validate.hpp"

namespace mercer {

namespace {

/// Rows and entries of a source of unknown size: by reading it.
template <class T>
void count(Source<T>& source, Facts& facts) {
  facts.rows = facts.entries = 0;
  while (const auto block = source.next()) {
    facts.rows += static_cast<double>(block->rows.rows());
    facts.entries += static_cast<double>(block->rows.entries());
  }
  if (source.can_rewind()) source.rewind();
}

void take_speed(Facts& facts, const FitOptions& options) {
  if (options.seconds > 0 && options.kernel && !facts.speed && facts.rows > 0)
    facts.speed = measured_speed(*options.kernel, facts.entries / facts.rows, options.threads);
}

}  // namespace

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
  return plan(facts_of(x, options, static_cast<double>(settled(options).memory)), options);
}

template <class T>
Plan plan(Source<T>& source, const FitOptions& options) {
  return plan(source, std::shared_ptr<const Map<T>>(), options);
}

template <class T>
Plan plan(Source<T>& source, std::shared_ptr<const Map<T>> map, const FitOptions& options) {
  Facts facts = facts_of(source, settled(options));
  const bool mapped = map && !map->is_identity();
  if (mapped) {
    facts.columns = static_cast<double>(map->features());
    facts.entries = facts.rows * facts.columns;
    facts.sparse = false;
  }
  if (facts.rows == 0) count(source, facts);
  if (mapped) facts.entries = facts.rows * facts.columns;
  take_speed(facts, options);
  const Plan first = plan(facts, options);
  if (mapped || first.rows != "in memory") return first;
  // Rows that can be borrowed are counted exactly.
  const auto all = source.whole();
  if (!all) return first;
  Facts held = facts_of(all->rows, options, 0, facts.speed);
  held.budget = facts.budget - row_bytes(held);
  return plan(held, options);
}

#define MERCER_INSTANTIATE(T)                                                                      \
  template Facts facts_of(const Rows<T>&, const FitOptions&, double, const std::optional<Speed>&); \
  template Facts facts_of(const Source<T>&, const FitOptions&);                                    \
  template Plan plan(const Rows<T>&, const FitOptions&);                                           \
  template Plan plan(Source<T>&, const FitOptions&);                                               \
  template Plan plan(Source<T>&, std::shared_ptr<const Map<T>>, const FitOptions&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
