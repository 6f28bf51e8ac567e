#include "learn/run/theory_memory.hpp"

#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "pca/plan_steps.hpp"

#include <algorithm>

namespace mercer {

double least_for_theory(const Source<double>& source, const LearnOptions& o, double features,
                        const std::function<double(double)>& buffers) {
  if (!o.theory || !source.can_rewind()) return 0;
  const auto columns = static_cast<double>(source.schema().features);
  const bool mapped = o.map || o.kernel || o.scale != Scale::none;
  // How many rows a text has is estimated, to a few percent.
  const double rows = 1.05 * static_cast<double>(source.expected_rows());
  FitOptions fitting;
  fitting.ddof = 0;
  fitting.threads = o.learner.threads;
  const auto enough = [&](double memory) {
    // Features pass by in blocks, beside rows that are kept while they fit into half of the memory.
    const double held = rows * columns * sizeof(double);
    Facts facts{.rows = rows,
                .columns = features,
                .entries = rows * features,
                .threads = thread_count(fitting.threads)};
    const double block =
        std::min(std::max(double{8 << 20}, 16 * features * sizeof(double)), 8 * facts.entries);
    facts.budget = memory - (mapped ? block + (held <= memory / 2 ? held : 0) : 0);
    facts.buffers = buffers(memory);
    return plan(facts, fitting).refusal.empty();
  };
  const auto now = static_cast<double>(o.memory);
  if (enough(now)) return 0;
  const std::string least = least_memory(now, enough);
  return least.empty() ? 0 : static_cast<double>(parse_bytes(least, "memory"));
}

}  // namespace mercer
