#include "through_model.hpp"

#include "help.hpp"

#include <CLI/CLI.hpp>

namespace mercer::cli {

void add_through_model_flags(CLI::App& command, ThroughModelFlags& flags,
                             const std::string& data_name, const std::string& data_help,
                             const std::string& output_help) {
  add_text(command, "MODEL", flags.model, "", "a model saved by fit", "Files")->required();
  add_text(command, data_name, flags.rows.data, "", data_help, "Files")->required();
  add_text(command, "-o,--output", flags.output, "FILE", output_help, "Results");
  add_row_flags(command, flags.rows, Weights::no);
  add_precision_flag(command, flags.precision, "of the arithmetic (the model's)");
  add_run_flags(command, flags.run);
  add_help(command);
}

AnyModel load_model(const ThroughModelFlags& flags) {
  if (flags.precision.empty()) return load_any(flags.model);
  if (parse_is_float(flags.precision)) return Model<float>::load(flags.model);
  return Model<double>::load(flags.model);
}

}  // namespace mercer::cli
