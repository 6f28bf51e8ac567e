#include <mercer/merge.hpp>
#include <mercer/part_moments.hpp>

#include "commands/commands.hpp"
#include "core/output_file.hpp"
#include "flags/file_plan.hpp"
#include "flags/help.hpp"
#include "flags/memory_budget.hpp"
#include "flags/options.hpp"
#include "rows/model_file.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/summary.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>

namespace mercer::cli {

namespace {

constexpr const char* merge_examples =
    "  mercer merge monday.st tuesday.st -o both.st        as if all rows were fitted together\n"
    "  mercer merge site-*.st -k 10 -o all.st              keep ten components\n"
    "  mercer merge part-*.mom -k 10 -o all.st             moments, from mercer moments\n";

struct MergeFlags {
  std::vector<std::string> models;
  std::string output;
  std::string components = "all";
  std::string threads = "0";
  std::string memory;
  bool json = false;
  bool quiet = false;
};

/// The models; their stacked components, or the triangle of these, its factors and the check of
/// them: ten times the smaller of both, as measured.
MemoryBudget merge_budget(const std::string& memory, const std::vector<ModelSize>& models) {
  MemoryBudget budget(memory);
  double rows = 0, columns = 0;
  for (const ModelSize& model : models) {
    budget.hold_model(model);
    rows += model.outputs + 1;
    columns = std::max(columns, model.features);
  }
  budget.hold(10 * 8 * std::min(rows, columns) * columns);
  return budget;
}

/// Of files that exist; loading reports what is wrong with others.
void check_memory(const MergeFlags& flags) {
  std::vector<ModelSize> sizes;
  double widest = 4;
  for (const std::string& path : flags.models)
    if (const auto size = size_of_file(path)) {
      sizes.push_back(*size);
      widest = std::max(widest, size->number_bytes);
    }
  for (ModelSize& size : sizes) {
    // One model in double makes all of them so; those in float are there as both for a moment.
    if (size.number_bytes < widest) size.file_bytes *= 2;
    size.number_bytes = widest;
  }
  int threads = 1;
  merge_budget(flags.memory, sizes).settle(0, threads);
}

template <class T>
void show_merged(const MergeFlags& flags, const Model<T>& merged, const std::string& what) {
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
  std::string text = out.bold(what) + "  " + shape_line(summary, out) + "\n" + merge_line(summary) +
                     fmt::format("total variance {:.6g}\n\n", merged.report().total_variance) +
                     component_table(summary, out) + "\n" + loading_lines(summary, out);
  if (!flags.output.empty() && !data_on_stdout) text += fmt::format("\nmodel   {}\n", flags.output);
  if (data_on_stdout) say(text);
  else print(text);
}

template <class T>
void merge_models(const MergeFlags& flags, const std::vector<Model<T>>& models) {
  MergeOptions options;
  options.components = parse_components(flags.components);
  options.threads = static_cast<int>(parse_integer("--threads", flags.threads, 0, 4096));
  options.names = flags.models;
  std::vector<ModelSize> sizes;
  for (const Model<T>& model : models) sizes.push_back(size_of(model));
  merge_budget(flags.memory, sizes).settle(0, options.threads);
  show_merged(flags, merge(models, options), fmt::format("{} models", models.size()));
}

/// The sums of two parts at a time, with what they are factored into, and the eigenpairs of all: as
/// measured.
void check_part_memory(const MergeFlags& flags, const PartMoments& first) {
  double largest = 0;
  for (const std::string& path : flags.models) {
    std::error_code ignored;
    const auto bytes = std::filesystem::file_size(path, ignored);
    if (!ignored) largest = std::max(largest, static_cast<double>(bytes));
  }
  int threads = 1;
  const auto d = static_cast<double>(first.features());
  MemoryBudget(flags.memory).hold(6 * largest + 8 * 12 * d * d).settle(0, threads);
}

/// Moment files, of any number of parts.
void merge_parts(const MergeFlags& flags) {
  PartMoments all = PartMoments::load(flags.models[0]);
  check_part_memory(flags, all);
  for (std::size_t i = 1; i < flags.models.size(); ++i) {
    stop_if_interrupted();
    all.merge(PartMoments::load(flags.models[i]));
  }
  const std::size_t n = flags.models.size();
  show_merged(flags, all.model(parse_components(flags.components)),
              fmt::format("{} moment file{}", n, n == 1 ? "" : "s"));
}

/// All of them, or none.
bool are_moments(const std::vector<std::string>& paths) {
  // Of files that cannot be opened, loading says so.
  const auto other = std::ranges::find_if(paths, [](const std::string& path) {
    std::error_code ignored;
    return !PartMoments::is_file(path) && std::filesystem::exists(path, ignored);
  });
  const auto moments = std::ranges::find_if(paths, PartMoments::is_file);
  if (other == paths.end()) return moments != paths.end();
  if (moments != paths.end())
    throw UsageError(
        fmt::format("'{}' is a moment file and '{}' is not; merge models with models, "
                    "and moments with moments",
                    *moments, *other));
  return false;
}

void run(const MergeFlags& flags) {
  FilePlan plan;
  plan.reads("MODELS", flags.models)
      .writes("--output", flags.output, Content::model)
      .prints_json(flags.json);
  plan.check();
  if (are_moments(flags.models)) return merge_parts(flags);
  check_memory(flags);
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
  CLI::App& command =
      add_command(app, "merge", "Merge models or moments of parts into one model", merge_examples);
  add_list(command, "MODELS", flags->models, "",
           "two or more models saved by fit or merge, or moment files (.mom) saved by moments",
           "Files")
      ->required();
  add_text(command, "-o,--output", flags->output, "MODEL", "save the model here", "Results");
  such_as(add_text(command, "-k,--components", flags->components, "N|F|all",
                   "number of components: a count, a fraction of the variance, or all", "Results"),
          {{"all", "all components"}});
  add_switch(command, "--json", flags->json, "print the model's report as JSON", "Results");
  add_memory_flag(command, flags->memory);
  add_text(command, "--threads", flags->threads, "N", "number of threads; never changes results",
           "Running")
      ->default_str("one per core");
  add_switch(command, "-q,--quiet", flags->quiet, "no summary", "Running");
  add_help(command);
  command.callback([flags] { run(*flags); });
}

}  // namespace mercer::cli
