#include <mercer/datasets.hpp>

#include "commands/commands.hpp"
#include "flags/file_plan.hpp"
#include "flags/help.hpp"
#include "flags/options.hpp"
#include "terminal/interrupt.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

namespace mercer::cli {

namespace {

constexpr const char* data_examples =
    "  mercer data clouds -o clouds.csv                     the two clouds of the lectures\n"
    "  mercer data ellipse --rows 500 --noise 0.01 --seed 3 -o ellipse.csv\n"
    "  mercer data rings | mercer fit - --label class --kernel 'rbf(gamma=0.5)' -k 2\n";

struct DataFlags {
  std::string name, rows, noise, output = "-";
  std::string seed = std::to_string(default_seed);
};

std::vector<OptionValue> dataset_values() {
  std::vector<OptionValue> values;
  for (const datasets::Entry& entry : datasets::table())
    values.push_back(
        {entry.name, fmt::format("{}; {} rows, noise {:g}", entry.notes, entry.rows, entry.noise)});
  return values;
}

std::optional<double> parse_noise(const std::string& text) {
  if (text.empty()) return std::nullopt;
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) ||
      value < 0)
    throw UsageError(fmt::format("--noise '{}' is not a number of at least 0", text));
  return value;
}

void generate(const DataFlags& flags) {
  FilePlan().writes("--output", flags.output, Content::rows).check();
  datasets::Options options;
  if (!flags.rows.empty()) options.rows = parse_integer("--rows", flags.rows, 1, 10'000'000);
  options.noise = parse_noise(flags.noise);
  options.seed = static_cast<std::uint64_t>(
      parse_integer("--seed", flags.seed, 0, std::numeric_limits<std::int64_t>::max()));
  const Table<double> table = datasets::make(flags.name, options);
  stop_if_interrupted();
  Sink<double> out(flags.output, table.schema.feature_names, {.label = table.schema.label});
  out.write(table.x, nullptr, table.schema.label.empty() ? nullptr : &table.labels);
  out.finish();
  stop_if_interrupted();
  out.close();
}

}  // namespace

void add_data_command(CLI::App& app) {
  auto flags = std::make_shared<DataFlags>();
  CLI::App& command =
      add_command(app, "data", "Generate a data set of the lectures", data_examples);
  add_choice(command, "NAME", flags->name, "", dataset_values(), "the data set", "Files")
      ->required();
  add_text(command, "-o,--output", flags->output, "FILE",
           "the rows (.csv .tsv, or .npy without labels; - for standard output)", "Results");
  add_text(command, "--rows", flags->rows, "N", "number of rows", "Results")
      ->default_str("by data set");
  add_text(
      command, "--noise", flags->noise, "S",
      "standard deviation of the noise added to every coordinate; of clouds, a factor of their "
      "deviations",
      "Results")
      ->default_str("by data set");
  add_text(command, "--seed", flags->seed, "N", "seed of the random numbers", "Results");
  add_help(command);
  command.callback([flags] { generate(*flags); });
}

}  // namespace mercer::cli
