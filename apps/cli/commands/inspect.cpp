#include "commands/commands.hpp"

#include "commands/inspect_columns.hpp"
#include "commands/inspect_relations.hpp"
#include "core/json_text.hpp"
#include "core/memory.hpp"
#include "flags/file_plan.hpp"
#include "flags/help.hpp"
#include "flags/object_values.hpp"
#include "flags/options.hpp"
#include "terminal/summary.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <memory>

namespace mercer::cli {

namespace {

constexpr const char* inspect_examples =
    "  mercer inspect wine.st\n"
    "  mercer inspect wine.st --json | jq .explained_variance_ratio\n"
    "  mercer inspect wine.st --matrix components           all digits; export writes files\n"
    "  mercer inspect wine.st --loadings                    loadings of the columns\n"
    "  mercer inspect rings.st --gradient rings.csv -o slopes.csv   gradient of a component\n";

using InspectFlags = ColumnFlags;

/// An object of the model with its names: text, or JSON.
template <class T>
void show_matrix(const Model<T>& model, const InspectFlags& flags) {
  const NamedMatrix found = export_object(model, parse_object(flags.matrix));
  if (!flags.json) return print(to_text(found));
  nlohmann::ordered_json values = nlohmann::ordered_json::array();
  for (Index i = 0; i < found.values.rows(); ++i)
    values.push_back(std::vector<double>(found.values.row(i).begin(), found.values.row(i).end()));
  const nlohmann::ordered_json json{{"matrix", flags.matrix},
                                    {"rows", found.rows},
                                    {"columns", found.columns},
                                    {"values", std::move(values)}};
  print(json_text(json, 2) + "\n");
}

template <class T>
void inspect(const Model<T>& model, const InspectFlags& flags) {
  if (!flags.matrix.empty()) return show_matrix(model, flags);
  if (!flags.gradient.empty()) return write_gradient(model, flags);
  if (flags.loadings) return show_loadings(model, flags);
  if (flags.relations) return show_relations(model, flags);
  if (flags.json) return print(to_json(model) + "\n");
  const Terminal out = terminal(STDOUT_FILENO);
  const Summary summary = summarize(model);
  // Only a file has a size: not standard input, nor a pipe.
  struct stat info {};
  const bool file = stat(flags.model.c_str(), &info) == 0 && S_ISREG(info.st_mode);
  const auto wide = std::size_t{60};
  std::string text =
      fmt::format("{}  {} component{} of {}{}\n", out.bold(shown(flags.model, wide, out.unicode)),
                  model.outputs(), model.outputs() == 1 ? "" : "s", shape_line(summary, out),
                  file ? ", " + format_bytes(static_cast<double>(info.st_size)) : "");
  if (!summary.label_column.empty())
    text += fmt::format("label {}\n", shown(summary.label_column, wide, out.unicode));
  if (!summary.id_column.empty())
    text += fmt::format("id {}\n", shown(summary.id_column, wide, out.unicode));
  text += space_lines(summary, out) + merge_line(summary) + choice_lines(summary);
  text += fmt::format("total variance {:.6g}\n", summary.report.total_variance);
  text += out.dim(solver_line(summary, out)) + "\n" + out.dim(plan_line(summary)) +
          approximation_line(summary, out) + certificate_line(summary) + "\n" +
          component_table(summary, out) + "\n" + loading_lines(summary, out) +
          relation_lines(summary, out);
  print(text);
}

void check(const InspectFlags& flags) {
  const bool gradient = !flags.gradient.empty();
  if (flags.loadings && gradient)
    throw UsageError("--loadings and --gradient are mutually exclusive");
  if (flags.relations && (flags.loadings || gradient))
    throw UsageError("--relations, --loadings and --gradient are mutually exclusive");
  if (!flags.matrix.empty() && (flags.loadings || gradient))
    throw UsageError("--matrix, --loadings and --gradient are mutually exclusive");
  if (!flags.matrix.empty() && !flags.output.empty())
    throw UsageError("--matrix prints; use mercer export --what NAME -o FILE");
  if (!flags.output.empty() && !flags.loadings && !gradient)
    throw UsageError("--output takes the rows of --loadings or --gradient");
  if (gradient && flags.json) throw UsageError("--gradient writes rows, not JSON: -o FILE");
  FilePlan plan;
  plan.reads("MODEL", flags.model)
      .reads("--gradient", flags.gradient)
      .writes("--output", flags.output, Content::rows)
      .prints_json(flags.json);
  plan.check();
}

}  // namespace

void add_inspect(CLI::App& app) {
  auto flags = std::make_shared<InspectFlags>();
  CLI::App& command =
      add_command(app, "inspect", "Show a model and how it was fitted", inspect_examples);
  add_text(command, "MODEL", flags->model, "", "a model saved by fit", "Files")->required();
  add_choice(command, "--matrix", flags->matrix, "NAME", object_values(),
             "an object of the model, with all digits", "Results");
  add_switch(command, "--loadings", flags->loadings,
             "loadings, contributions and cos2 of each column (linear models)", "Results");
  add_switch(
      command, "--relations", flags->relations,
      "the relations between columns or features that all rows satisfy; of noisy rows, that of "
      "the last component with its standard errors",
      "Results");
  add_text(command, "--gradient", flags->gradient, "DATA",
           "the gradient of a component at these rows", "Results");
  add_text(command, "--component", flags->component, "N", "the component of --gradient", "Results");
  add_text(command, "-o,--output", flags->output, "FILE",
           "the loadings or gradients (.csv .tsv .npy)", "Results");
  add_switch(command, "--json", flags->json, "print everything as JSON", "Results");
  add_memory_flag(command, flags->memory);
  add_help(command);
  command.callback([flags] {
    check(*flags);
    if (const auto size = flags->memory.empty() ? std::nullopt : size_of_file(flags->model))
      settled(*size, *flags);
    std::visit([&](const auto& model) { inspect(model, *flags); }, load_any(flags->model));
  });
}

}  // namespace mercer::cli
