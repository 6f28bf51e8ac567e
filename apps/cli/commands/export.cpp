#include <mercer/export.hpp>

#include "commands/commands.hpp"
#include "flags/file_plan.hpp"
#include "flags/help.hpp"
#include "flags/memory_budget.hpp"
#include "flags/object_values.hpp"
#include "flags/options.hpp"
#include "terminal/interrupt.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

namespace mercer::cli {

namespace {

constexpr const char* export_examples =
    "  mercer export wine.st --what components -o B.csv       one component per row\n"
    "  mercer export wine.st --what rotation --names r -o rotation.csv   as of R's prcomp\n"
    "  mercer export wine.st --what mean                      on standard output\n"
    "  mercer export rings.st --what alpha -o alpha.npy       coefficients of kernel PCA\n";

struct ExportFlags {
  std::string model;
  std::string what;
  std::string names = "mercer";
  std::string output = "-";
  std::string memory;
};

/// The model and the object, and a copy of it in the precision of the file.
void settle_export(const ModelSize& size, const ExportFlags& flags) {
  MemoryBudget budget(flags.memory);
  int threads = 1;
  budget.hold_model(size)
      .hold(3 * 8 * std::max(size.components(), size.features))
      .settle(8 * std::max(size.outputs, size.features), threads);
}

void export_model(const ExportFlags& flags) {
  FilePlan().reads("MODEL", flags.model).writes("--output", flags.output, Content::rows).check();
  const ModelObject object = parse_object(flags.what);
  const NameStyle names = parse_name_style(flags.names);
  if (const auto size = flags.memory.empty() ? std::nullopt : size_of_file(flags.model))
    settle_export(*size, flags);
  std::visit(
      [&](const auto& model) {
        const NamedMatrix found = export_object(model, object, names);
        stop_if_interrupted();
        save(found, flags.output);
      },
      load_any(flags.model));
}

}  // namespace

void add_export(CLI::App& app) {
  auto flags = std::make_shared<ExportFlags>();
  CLI::App& command =
      add_command(app, "export", "Write a matrix or vector of a model to a file", export_examples);
  add_text(command, "MODEL", flags->model, "", "a model saved by fit, merge or learn", "Files")
      ->required();
  add_choice(command, "--what", flags->what, "NAME", object_values(), "the object", "Results")
      ->required();
  add_text(command, "-o,--output", flags->output, "FILE",
           "the object (.csv .tsv .npy; - for standard output)", "Results");
  add_choice(command, "--names", flags->names, "",
             {{"mercer", "pc1, pc2, ..."},
              {"r", "PC1, PC2, ...; center"},
              {"sklearn", "pca0, pca1, ...; mean_"}},
             "names of components and vectors", "Results");
  add_memory_flag(command, flags->memory);
  add_help(command);
  command.callback([flags] { export_model(*flags); });
}

}  // namespace mercer::cli
