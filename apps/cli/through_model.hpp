#pragma once
// Commands that send rows through a saved model: the flags they share, and the model.

#include "file_plan.hpp"
#include "options.hpp"

#include <mercer/data.hpp>
#include <mercer/model.hpp>

#include <memory>
#include <string>

namespace mercer::cli {

struct ThroughModelFlags {
  RowFlags rows;
  RunFlags run;
  std::string model;
  std::string output = "-";
  std::string precision;
};

/// MODEL, then the rows as `data_name`; -o, what rows in general take, --precision.
void add_through_model_flags(CLI::App& command, ThroughModelFlags& flags,
                             const std::string& data_name, const std::string& data_help,
                             const std::string& output_help, Weights weights = Weights::no);

/// What these flags read and write, to be completed and checked before anything is opened.
FilePlan files_of(const ThroughModelFlags& flags, const std::string& data_name);

/// The model in the precision asked for, or in its own.
AnyModel load_model(const ThroughModelFlags& flags);

/// DATA, with the columns of the model.
template <class T>
std::unique_ptr<Source<T>> open_like(const Model<T>& model, const ThroughModelFlags& flags,
                                     ReadOptions reading);

/// A note on rows that were left out, if any were.
template <class T>
void say_dropped(const Source<T>& source, const RunFlags& run);

}  // namespace mercer::cli
