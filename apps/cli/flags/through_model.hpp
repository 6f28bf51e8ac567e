#pragma once
// Commands that send rows through a saved model: the flags they share, and the model.

#include "flags/file_plan.hpp"
#include "flags/memory_budget.hpp"
#include "flags/options.hpp"

#include <mercer/data.hpp>
#include <mercer/model.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mercer::cli {

struct ThroughModelFlags {
  RowFlags rows;
  std::vector<std::string> parts;  // instead of `rows.data`, where a command takes several files
  RunFlags run;
  std::string model;
  std::string output = "-";
  std::string precision;
  std::string memory;
};

enum class Parts { one, several };

/// MODEL, then the rows as `data_name`, of one file or of several; -o, what rows in general take,
/// --precision.
void add_through_model_flags(CLI::App& command, ThroughModelFlags& flags,
                             const std::string& data_name, const std::string& data_help,
                             const std::string& output_help, Weights weights = Weights::no,
                             Parts parts = Parts::one);

/// What these flags read and write, to be completed and checked before anything is opened.
FilePlan files_of(const ThroughModelFlags& flags, const std::string& data_name,
                  Content output = Content::rows);

/// DATA: one file or several.
std::vector<std::string> data_of(const ThroughModelFlags& flags);

/// Counts what a command needs beside its model and blocks of rows.
using CountMemory = std::function<void(MemoryBudget&, const ModelSize&)>;

/// The model in the precision asked for, or in its own, where `--memory` is enough for the command.
AnyModel load_model(const ThroughModelFlags& flags, const CountMemory& count = {});

/// What `--memory` leaves: chooses blocks and threads.
template <class T>
MemoryBudget settled(const Model<T>& model, const ThroughModelFlags& flags, ReadOptions& reading,
                     const CountMemory& count = {});

/// DATA, with the columns of the model; of several processes, the share of this one.
template <class T>
std::unique_ptr<Source<T>> open_like(const Model<T>& model, const ThroughModelFlags& flags,
                                     ReadOptions reading);

/// A note on scores that keep few digits, if they do.
void say_lost_digits(const std::string& lost, const RunFlags& run);

}  // namespace mercer::cli
