#pragma once
// Commands that send rows through a saved model: the flags they share, and the model.

#include "options.hpp"

#include <mercer/model.hpp>

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
                             const std::string& output_help);

/// The model in the precision asked for, or in its own.
AnyModel load_model(const ThroughModelFlags& flags);

}  // namespace mercer::cli
