#include <mercer/merge.hpp>

#include "commands.hpp"
#include "core/output_file.hpp"
#include "file_plan.hpp"
#include "help.hpp"
#include "model_file.hpp"
#include "options.hpp"
#include "summary.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <memory>

namespace mercer::cli {

namespace {

constexpr const char* merge_examples =
    "  mercer merge monday.st tuesday.st -o both.st        as if all rows were fitted together\n"
    "  mercer merge site-*.st -k 10 -o all.st              ten components of what they hold\n";

struct MergeFlags {
  std::vector<std::string> models;
  std::string output;
  std::string components = "all";
  std::string threads = "0";
  bool json = false;
  bool quiet = false;
};

template <class T>
void merge_models(const MergeFlags& flags, const std::vector<Model<T>>& models) {
  MergeOptions options;
  options.components = parse_components(flags.components);
  options.threads = static_cast<int>(parse_integer("--threads", flags.threads, 0, 4096));
  options.names = flags.models;
  const Model<T> merged = merge(models, options);
  if (!flags.output.empty()) {
    OutputFile file(flags.output);
    write_model(file, merged);
    file.finish();
    file.publish();
  }
  if (flags.json) return print(to_json(merged) + "\n");
  if (flags.quiet) return;
  const bool data_on_stdout = flags.output == "-";
  const Terminal out = terminal(data_on_stdout ? STDERR_FILENO : STDOUT_FILENO);
  const Summary summary = summarize(merged);
  std::string text = out.bold(fmt::format("{} models", models.size())) + "  " +
                     shape_line(summary, out) + "\n" + merge_line(summary) +
                     fmt::format("total variance {:.6g}\n\n", merged.report().total_variance) +
                     component_table(summary, out) + "\n" + loading_lines(summary, out);
  if (!flags.output.empty() && !data_on_stdout) text += fmt::format("\nmodel   {}\n", flags.output);
  if (data_on_stdout) say(text);
  else print(text);
}

void run(const MergeFlags& flags) {
  FilePlan plan;
  plan.reads("MODELS", flags.models).writes("--output", flags.output).prints_json(flags.json);
  plan.check();
  std::vector<AnyModel> loaded;
  for (const std::string& path : flags.models) loaded.push_back(load_any(path));
  const bool all_float = std::ranges::all_of(
      loaded, [](const AnyModel& m) { return std::holds_alternative<Model<float>>(m); });
  // One model in double makes all of them so.
  if (all_float) {
    std::vector<Model<float>> models;
    models.reserve(loaded.size());
    for (AnyModel& model : loaded) models.push_back(std::get<Model<float>>(std::move(model)));
    return merge_models(flags, models);
  }
  std::vector<Model<double>> models;
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    if (std::holds_alternative<Model<double>>(loaded[i]))
      models.push_back(std::get<Model<double>>(std::move(loaded[i])));
    else
      models.push_back(Model<double>::deserialize(std::get<Model<float>>(loaded[i]).serialize(),
                                                  flags.models[i]));
  }
  merge_models(flags, models);
}

}  // namespace

void add_merge(CLI::App& app) {
  auto flags = std::make_shared<MergeFlags>();
  CLI::App& command = add_command(
      app, "merge", "Make one model of several that were fitted elsewhere", merge_examples);
  command.add_option("MODELS", flags->models, "two or more models saved by fit or merge")
      ->option_text("")
      ->group("Files")
      ->required();
  add_text(command, "-o,--output", flags->output, "MODEL", "save the model here", "Results");
  add_text(command, "-k,--components", flags->components, "N|F|all",
           "how many: a count, a fraction of the variance, or all that the models hold (all)",
           "Results");
  add_switch(command, "--json", flags->json, "the model's report as JSON instead of words",
             "Results");
  add_text(command, "--threads", flags->threads, "N", "threads (one per core)", "Running");
  add_switch(command, "-q,--quiet", flags->quiet, "no words", "Running");
  add_help(command);
  command.callback([flags] { run(*flags); });
}

}  // namespace mercer::cli
