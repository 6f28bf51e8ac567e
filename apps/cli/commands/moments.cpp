#include <mercer/part_moments.hpp>

#include "commands/commands.hpp"
#include "core/json_text.hpp"
#include "core/output_file.hpp"
#include "flags/file_plan.hpp"
#include "flags/help.hpp"
#include "flags/memory_budget.hpp"
#include "flags/options.hpp"
#include "rows/model_rows.hpp"
#include "rows/rows_in_memory.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/progress_bar.hpp"
#include "terminal/summary.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

namespace mercer::cli {

namespace {

constexpr const char* moments_examples =
    "  mercer moments monday.csv --label class -o monday.mom       on the machine that has it\n"
    "  mercer merge *.mom -k 3 -o week.st                          anywhere: PCA of all rows\n"
    "  mercer moments part-3.npy --scale std -o 3.mom              z-scores of all rows\n"
    "  mercer moments a.csv --map 'polynomial(degree=2)' -o a.mom\n";

struct MomentsFlags {
  std::vector<std::string> parts;
  RowFlags rows;
  RunFlags run;
  VarianceFlags variance;
  std::string map, output;
  bool json = false;
};

/// What the sums take: those of two passes over squares, a factor, the levels of the tree for so
/// many rows, and the file while it is written.
double bytes_of_sums(double columns, double rows) {
  const double levels = std::max(1.0, std::log2(std::max(rows, 1e6) / 4000));
  return 8 * columns * columns * (24 + 4 * levels);
}

void print_part(const MomentsFlags& flags, const PartMoments& part, const std::string& name) {
  if (flags.json)
    return print(json_text(nlohmann::ordered_json{{"rows", part.rows()},
                                                  {"weight", part.weight()},
                                                  {"columns", part.schema().features},
                                                  {"feature_names", part.schema().feature_names},
                                                  {"center", part.options().center},
                                                  {"scale", flags.variance.scale},
                                                  {"ddof", part.options().ddof},
                                                  {"map", part.options().map},
                                                  {"output", flags.output}}) +
                 "\n");
  if (flags.run.quiet) return;
  const std::string text = fmt::format(
      "{}: {} row{} of {} column{}{}\nmoments   {}\n", name, part.rows(),
      part.rows() == 1 ? "" : "s", part.schema().features, part.schema().features == 1 ? "" : "s",
      part.schema().weighted ? fmt::format(", weight {:.6g}", part.weight()) : "", flags.output);
  if (flags.output == "-") say(text);
  else print(text);
}

void run(const MomentsFlags& flags) {
  FilePlan plan;
  plan.reads("DATA", flags.parts)
      .writes("--output", flags.output, Content::moments)
      .prints_json(flags.json);
  plan.check();
  require_map(flags.map);
  ProgressBar bar(!flags.run.quiet);
  const FitOptions fit = fit_options(flags.variance, flags.rows, flags.run, bar.monitor());
  ReadOptions reading = read_options(flags.rows, flags.run, bar.monitor(),
                                     flags.variance.memory.empty() ? 0 : fit.memory);
  PartOptions options{.center = fit.center,
                      .scale = fit.scale,
                      .ddof = fit.ddof,
                      .map = flags.map,
                      .threads = fit.threads};
  const auto source = open_parts<double>(flags.parts, reading);
  note_header(source->schema(), flags.parts.front(), flags.rows, flags.run);
  const double d = static_cast<double>(source->schema().features);
  double columns = d;
  if (!flags.map.empty())
    columns = static_cast<double>(
        parse_map<double>(flags.map, source->schema().features, source->schema().feature_names)
            ->features());
  MemoryBudget budget(flags.variance.memory);
  budget.hold(bytes_of_sums(columns, static_cast<double>(source->expected_rows())));
  budget.work(8 * std::min(std::max(4096 * columns, 40 * columns * columns), 8388608.0));
  budget.settle(8 * std::max(d, columns), options.threads);
  PartMoments part(source->schema(), options);
  naming(
      source->name(), [&] { part.add(*source); }, flags.parts);
  source->require_unchanged();
  OutputFile file(flags.output);
  file.write(part.to_bytes());
  file.finish();
  stop_if_interrupted();
  file.publish();
  bar.erase();
  note_dropped(*source, flags.run.quiet);
  print_part(flags, part, source->name());
}

}  // namespace

void add_moments(CLI::App& app) {
  auto flags = std::make_shared<MomentsFlags>();
  CLI::App& command = add_command(
      app, "moments", "Sum the rows of one part, to be merged with other parts", moments_examples);
  add_list(command, "DATA", flags->parts, "", data_help("files") + "; several files form one table",
           "Files")
      ->required();
  add_text(command, "-o,--output", flags->output, "FILE",
           "save the moments here (.mom); merge makes a model of one or more of them", "Results")
      ->required();
  add_switch(command, "--json", flags->json, "print the number of rows and the options as JSON",
             "Results");
  add_row_flags(command, flags->rows, Weights::yes, Filling::drop);
  add_variance_flags(command, flags->variance);
  add_map_flag(command, flags->map,
               "explicit features: a map, or expressions like 'x1^2, log(height)'");
  add_run_flags(command, flags->run);
  add_help(command);
  command.callback([flags] { run(*flags); });
}

}  // namespace mercer::cli
