#include "commands/commands.hpp"

#include "commands/contour_points.hpp"
#include "core/output_file.hpp"
#include "core/require.hpp"
#include "flags/file_plan.hpp"
#include "flags/help.hpp"
#include "flags/options.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/progress_bar.hpp"

#include <mercer/picture.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

namespace mercer::cli {

namespace {

constexpr const char* contour_examples =
    "  mercer contour rings.st -o contours.svg             with the rows stored in a kernel model\n"
    "  mercer contour rings.st --data rings.csv --label class -o contours.svg\n"
    "  mercer contour rings.st --components 2 --levels 15 --size 400 -o - | rsvg-convert > "
    "rings.png\n";

struct ContourFlags {
  RowFlags rows;
  RunFlags run;
  std::string model;
  std::string output;
  std::string components;
  std::string levels = "9";
  std::string size = "220";
  std::string memory;
};

ContourOptions contour_options(const ContourFlags& flags) {
  ContourOptions options;
  if (!flags.components.empty())
    options.components = parse_integer("--components", flags.components, 1, 64);
  options.levels = static_cast<int>(parse_integer("--levels", flags.levels, 1, 100));
  options.size = static_cast<int>(parse_integer("--size", flags.size, 80, 2000));
  options.threads = static_cast<int>(parse_integer("--threads", flags.run.threads, 0, 4096));
  return options;
}

MemoryBudget settled(const ModelSize& model, const ContourFlags& flags, int& threads) {
  MemoryBudget budget(flags.memory);
  hold_contour(budget.hold_model(model), model, contour_options(flags));
  budget.settle(8 * std::max(model.inputs, model.outputs), threads);
  return budget;
}

template <class T>
void draw(const Model<T>& model, const ContourFlags& flags) {
  require(model.inputs() == 2, Errc::bad_data,
          "contour lines need a model with 2 input columns; '{}' has {}", flags.model,
          model.inputs());
  ContourOptions options = contour_options(flags);
  require(options.components <= model.outputs(), Errc::bad_option,
          "--components {} is more than the {} of '{}'", options.components, model.outputs(),
          flags.model);
  const MemoryBudget budget = settled(size_of(model), flags, options.threads);
  if (!flags.rows.data.empty())
    read_points(model, flags.model, flags.rows, flags.run, budget, options);
  else if (model.map().space() != Space::kernel && !model.map().is_identity())
    throw UsageError(fmt::format(
        "the model '{}' stores no rows: set the plotted range with --data DATA", flags.model));
  OutputFile out(flags.output);
  out.write(contour_svg(model, options));
  out.finish();
  stop_if_interrupted();
  out.publish();
}

}  // namespace

void add_contour(CLI::App& app) {
  auto flags = std::make_shared<ContourFlags>();
  CLI::App& command =
      add_command(app, "contour", "Draw contour lines of the components of a two-column model",
                  contour_examples);
  add_text(command, "MODEL", flags->model, "", "a model with two input columns", "Files")
      ->required();
  add_text(command, "-o,--output", flags->output, "FILE", "the plot (.svg; - for standard output)",
           "Results")
      ->required();
  CLI::Option* data =
      add_text(command, "--data", flags->rows.data, "DATA", "rows to draw as dots", "Results");
  data->default_str("those that a kernel model stores");
  add_text(command, "-k,--components", flags->components, "N",
           "number of components, one panel each", "Results")
      ->default_str("up to 8");
  add_text(command, "--levels", flags->levels, "N", "lines per panel", "Results");
  add_text(command, "--size", flags->size, "N", "width of a panel in pixels", "Results");
  add_row_flags(command, flags->rows, Weights::no, Filling::drop);
  for (const char* name : {"--columns", "--exclude", "--label", "--id"})
    command.get_option(name)->needs(data);
  add_memory_flag(command, flags->memory);
  add_run_flags(command, flags->run);
  add_help(command);
  command.callback([flags] {
    FilePlan()
        .reads("MODEL", flags->model)
        .reads("--data", flags->rows.data)
        .writes("--output", flags->output, Content::picture)
        .check();
    if (const auto size = flags->memory.empty() ? std::nullopt : size_of_file(flags->model)) {
      int threads = 1;
      settled(*size, *flags, threads);
    }
    std::visit([&](const auto& model) { draw(model, *flags); }, load_any(flags->model));
  });
}

}  // namespace mercer::cli
