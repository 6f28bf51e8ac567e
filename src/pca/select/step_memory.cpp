#include "pca/select/step_memory.hpp"

#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "core/require.hpp"
#include "pca/method_cost.hpp"
#include "pca/plan_steps.hpp"
#include "pca/select/significance.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace mercer {

namespace {

/// "; at least 84 MiB are needed".
std::string with_least(double now, const std::function<bool(double)>& enough) {
  const std::string least = least_memory(now, enough);
  return least.empty() ? least : fmt::format("; at least {} are needed", least);
}

/// Rows as they are and with their cells filled in, and twice those with holes as they are worked
/// on.
template <class T>
double imputed_bytes(Index rows, Index with_holes, Index cols) {
  return 2 * static_cast<double>(rows + with_holes) * static_cast<double>(cols) * sizeof(T);
}

/// Whether the fits beside these copies have enough memory.
template <class T>
std::function<bool(double)> enough_for_imputation(const FitOptions& options, Index rows,
                                                  Index with_holes, Index cols) {
  FitOptions fitting = options;
  fitting.missing = Missing::error;
  const auto n = static_cast<double>(rows), d = static_cast<double>(cols);
  const Facts facts{.rows = n,
                    .columns = d,
                    .entries = n * d,
                    .number_bytes = sizeof(T),
                    .in_memory = true,
                    .threads = thread_count(options.threads)};
  const double held = imputed_bytes<T>(rows, with_holes, cols);
  return [=](double memory) {
    Facts beside = facts;
    beside.budget = memory - held;
    // A tenth is for scores and models; rows that are read first must fit into half of the memory.
    return held <= 0.9 * memory && 2.1 * n * d * sizeof(T) <= memory &&
           plan(beside, fitting).refusal.empty();
  };
}

/// One fit of the permutation test: its rows, a copy of the sample, and what it takes beside it.
struct TestRoom {
  double held = 0;  ///< rows in memory, and the sample
  double copy = 0;  ///< permuted
  Facts facts{};    ///< of the copy
};

template <class T>
TestRoom test_room(Source<T>& source, const Map<T>* map, const FitOptions& options) {
  // Not known before a compressed file is read.
  const Index rows =
      source.expected_rows() > 0 ? source.expected_rows() : std::numeric_limits<Index>::max();
  const Index columns = source.schema().features;
  const auto d = static_cast<double>(columns);
  const auto n =
      static_cast<double>(permuted_rows(rows, columns, options.kernel || map != nullptr));
  TestRoom room;
  room.copy = n * d * sizeof(T);
  const auto whole = source.whole();
  // Rows of a stream are sampled, listed and copied before they are dense.
  room.held = whole ? static_cast<double>(whole->rows.entries()) * sizeof(T) + room.copy
                    : 4 * room.copy + static_cast<double>(source.buffer_bytes());
  room.facts = {.rows = n,
                .columns = map ? static_cast<double>(map->features()) : d,
                .number_bytes = map ? 8.0 : double{sizeof(T)},
                .in_memory = map == nullptr,
                .buffers = map ? double{8 << 20} : 0.0};
  room.facts.entries = n * room.facts.columns;
  return room;
}

Plan plan_beside(TestRoom room, const FitOptions& options, Components components, double memory) {
  FitOptions one = permutation_fit(options, 1);
  one.components = components;
  room.facts.budget = memory - room.held - room.copy;
  return plan(room.facts, one);
}

}  // namespace

template <class T>
FitOptions within_imputation(const FitOptions& options, Index rows, Index with_holes, Index cols) {
  const auto enough = enough_for_imputation<T>(options, rows, with_holes, cols);
  const auto now = static_cast<double>(options.memory);
  const double held = imputed_bytes<T>(rows, with_holes, cols);
  if (!enough(now))
    fail(Errc::out_of_memory,
         "`missing=em` holds rows and copies of them, {}, beside the fits, and {} are allowed; use "
         "a "
         "larger `memory`, or `missing=mean`{}",
         format_bytes(held), format_bytes(now), with_least(now, enough));
  FitOptions beside = options;
  beside.memory = static_cast<std::size_t>(now - held);
  return beside;
}

template <class T>
void require_imputation(Source<T>& source, const FitOptions& options) {
  if (!source.can_rewind()) return;
  Index rows = 0, with_holes = 0;
  while (const auto block = source.next()) {
    rows += block->rows.rows();
    with_holes += rows_with_holes(block->rows);
  }
  source.rewind();
  within_imputation<T>(options, std::max(rows, source.expected_rows()), with_holes,
                       source.schema().features);
}

template <class T>
Index rows_with_holes(const Rows<T>& x) {
  Index count = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    const T* first = x.sparse() ? x.csr().values + x.csr().offsets[i] : x.row(i);
    const T* last = x.sparse() ? x.csr().values + x.csr().offsets[i + 1] : first + x.cols();
    count += std::any_of(first, last, [](T value) { return std::isnan(value); });
  }
  return count;
}

template <class T>
FitOptions within_permutations(Source<T>& source, const Map<T>* map, const FitOptions& options) {
  FitOptions fitting = options;
  const auto now = static_cast<double>(options.memory);
  const TestRoom room = test_room(source, map, options);
  const Plan one = plan_beside(room, options, at_most(first_look), now);
  fitting.components = at_most(first_look);
  if (!one.refusal.empty() || !seems_enough(source, fitting, map)) {
    // How many there are is not known: with all of them, no later fit is refused.
    fitting.components = all_components();
    const auto last = enough_memory(source, fitting, map);
    const auto enough = [&](double memory) {
      return plan_beside(room, options, all_components(), memory).refusal.empty() &&
             (!last || last(memory));
    };
    fail(Errc::out_of_memory,
         "the permutation test of `components=significant()` and the fit after it do not fit into "
         "{}; use a larger `memory`{}",
         format_bytes(now), with_least(now, enough));
  }
  fitting = options;
  // The method does not depend on the number of threads, only how many fits there are at once.
  fitting.memory = static_cast<std::size_t>(now - room.held - room.copy);
  const double at_once = (now - room.held) / (room.copy + one.chosen.bytes);
  const int threads = thread_count(options.threads);
  fitting.threads = std::clamp(static_cast<int>(std::min(at_once, 4096.0)), 1, threads);
  return fitting;
}

#define MERCER_INSTANTIATE(T)                                                       \
  template FitOptions within_imputation<T>(const FitOptions&, Index, Index, Index); \
  template void require_imputation(Source<T>&, const FitOptions&);                  \
  template Index rows_with_holes(const Rows<T>&);                                   \
  template FitOptions within_permutations(Source<T>&, const Map<T>*, const FitOptions&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
