#pragma once
// Commands that send rows through a saved model: the flags they share, and the model.

#include "flags/file_plan.hpp"
#include "flags/memory_budget.hpp"
#include "flags/options.hpp"

#include <mercer/data.hpp>
#include <mercer/model.hpp>

#include <algorithm>
#include <memory>
#include <string>

namespace mercer::cli {

struct ThroughModelFlags {
  RowFlags rows;
  RunFlags run;
  std::string model;
  std::string output = "-";
  std::string precision;
  std::string memory;
};

/// MODEL, then the rows as `data_name`; -o, what rows in general take, --precision.
void add_through_model_flags(CLI::App& command, ThroughModelFlags& flags,
                             const std::string& data_name, const std::string& data_help,
                             const std::string& output_help, Weights weights = Weights::no);

/// What these flags read and write, to be completed and checked before anything is opened.
FilePlan files_of(const ThroughModelFlags& flags, const std::string& data_name,
                  Content output = Content::rows);

/// The model in the precision asked for, or in its own, where it fits into the memory.
AnyModel load_model(const ThroughModelFlags& flags);

/// `--memory` less what the model takes; `settle` it before anything is opened.
template <class T>
MemoryBudget budget_for(const Model<T>& model, const ThroughModelFlags& flags) {
  MemoryBudget budget(flags.memory);
  budget.hold(bytes_of(model));
  return budget;
}

/// Chooses blocks and threads.
template <class T>
void settle(MemoryBudget& budget, const Model<T>& model, ReadOptions& reading) {
  budget.settle(8 * static_cast<double>(std::max(model.inputs(), model.outputs())),
                reading.threads);
  reading.block_bytes = budget.block_bytes();
}

/// DATA, with the columns of the model.
template <class T>
std::unique_ptr<Source<T>> open_like(const Model<T>& model, const ThroughModelFlags& flags,
                                     ReadOptions reading);

/// A note on rows that were left out, if any were.
template <class T>
void say_dropped(const Source<T>& source, const RunFlags& run);

/// A note on scores that keep few digits, if they do.
void say_lost_digits(const std::string& lost, const RunFlags& run);

}  // namespace mercer::cli
