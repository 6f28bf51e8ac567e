#pragma once
// Limits from rows that are known to be good: `--reference`.

#include "core/memory.hpp"
#include "flags/memory_budget.hpp"
#include "rows/model_rows.hpp"
#include "rows/rows_in_memory.hpp"
#include "terminal/interrupt.hpp"

#include <mercer/score.hpp>

#include <vector>

namespace mercer::cli {

/// Of the rows of the file `reference`, without weights.
template <class T>
ScoreLimits reference_limits(const Model<T>& model, const Scorer<T>& scorer,
                             const std::string& model_path, const std::string& reference,
                             ReadOptions reading, double level, bool quiet,
                             const MemoryBudget& budget = MemoryBudget(""),
                             Index* rows_read = nullptr) {
  reading.weights.clear();
  const auto source = open_for(model, model_path, {reference}, reading);
  std::vector<double> t2, spe;
  while (const auto block = source->next()) {
    stop_if_interrupted();
    const RowScores rows =
        naming(source->name(), [&] { return scorer(block->rows, reading.missing); });
    t2.insert(t2.end(), rows.t2.begin(), rows.t2.end());
    spe.insert(spe.end(), rows.spe.begin(), rows.spe.end());
    // Two numbers per row, in vectors that double, copied and sorted.
    const double bytes = 80 * static_cast<double>(t2.size());
    require(bytes <= budget.share(), Errc::out_of_memory,
            "'{}' has too many rows for --memory: {} of them take {}; give fewer good rows, or "
            "more memory",
            source->name(), t2.size(), format_bytes(bytes));
  }
  require(!t2.empty(), Errc::bad_data, "'{}' has no rows", source->name());
  note_dropped(*source, quiet);
  if (rows_read) *rows_read = static_cast<Index>(t2.size());
  const auto vector = [](const std::vector<double>& v) {
    return Vector<double>(Eigen::Map<const Vector<double>>(v.data(), static_cast<Index>(v.size())));
  };
  return limits_of({{}, vector(t2), vector(spe), {}}, level);
}

}  // namespace mercer::cli
