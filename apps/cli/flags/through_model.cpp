#include "flags/through_model.hpp"

#include "core/require.hpp"
#include "data/same_files.hpp"
#include "flags/help.hpp"
#include "rows/model_rows.hpp"
#include "terminal/job.hpp"
#include "terminal/terminal.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace mercer::cli {

void add_through_model_flags(CLI::App& command, ThroughModelFlags& flags,
                             const std::string& data_name, const std::string& data_help,
                             const std::string& output_help, Weights weights, Parts parts) {
  add_text(command, "MODEL", flags.model, "", "a model saved by fit", "Files")->required();
  (parts == Parts::several ? add_list(command, data_name, flags.parts, "", data_help, "Files")
                           : add_text(command, data_name, flags.rows.data, "", data_help, "Files"))
      ->required();
  add_text(command, "-o,--output", flags.output, "FILE", output_help, "Results");
  add_row_flags(command, flags.rows, weights);
  add_precision_flag(command, flags.precision, "precision of the arithmetic")
      ->default_str("that of the model");
  add_memory_flag(command, flags.memory);
  add_run_flags(command, flags.run);
  add_help(command);
}

std::vector<std::string> data_of(const ThroughModelFlags& flags) {
  return flags.parts.empty() ? std::vector{flags.rows.data} : flags.parts;
}

FilePlan files_of(const ThroughModelFlags& flags, const std::string& data_name, Content output) {
  FilePlan plan;
  plan.reads("MODEL", flags.model)
      .reads(data_name, data_of(flags))
      .writes("--output", flags.output, output);
  return plan;
}

namespace {

MemoryBudget settled(const ModelSize& model, const ThroughModelFlags& flags, int& threads,
                     const CountMemory& count) {
  MemoryBudget budget(flags.memory);
  budget.hold_model(model);
  if (count) count(budget, model);
  budget.settle(8 * std::max(model.inputs, model.outputs), threads);
  return budget;
}

}  // namespace

AnyModel load_model(const ThroughModelFlags& flags, const CountMemory& count) {
  std::optional<AnyModel> model;
  together([&] {
    if (auto size = flags.memory.empty() ? std::nullopt : size_of_file(flags.model)) {
      int threads = 1;
      if (!flags.precision.empty()) size->number_bytes = parse_is_float(flags.precision) ? 4 : 8;
      settled(*size, flags, threads, count);
    }
    if (flags.precision.empty()) model = load_any(flags.model);
    else if (parse_is_float(flags.precision)) model = Model<float>::load(flags.model);
    else model = Model<double>::load(flags.model);
  });
  if (Team* const team = job().team) require_same_files({flags.model}, *team);
  return std::move(*model);
}

template <class T>
MemoryBudget settled(const Model<T>& model, const ThroughModelFlags& flags, ReadOptions& reading,
                     const CountMemory& count) {
  MemoryBudget budget("");
  together([&] { budget = settled(size_of(model), flags, reading.threads, count); });
  reading.block_bytes = budget.block_bytes();
  return budget;
}

template <class T>
std::unique_ptr<Source<T>> open_like(const Model<T>& model, const ThroughModelFlags& flags,
                                     ReadOptions reading) {
  return open_for(model, flags.model, data_of(flags), std::move(reading), job().team);
}

void say_lost_digits(const std::string& lost, const RunFlags& run) {
  if (!lost.empty() && !run.quiet) say(fmt::format("mercer: note: {}\n", lost));
}

template MemoryBudget settled(const Model<float>&, const ThroughModelFlags&, ReadOptions&,
                              const CountMemory&);
template MemoryBudget settled(const Model<double>&, const ThroughModelFlags&, ReadOptions&,
                              const CountMemory&);
template std::unique_ptr<Source<float>> open_like(const Model<float>&, const ThroughModelFlags&,
                                                  ReadOptions);
template std::unique_ptr<Source<double>> open_like(const Model<double>&, const ThroughModelFlags&,
                                                   ReadOptions);

}  // namespace mercer::cli
