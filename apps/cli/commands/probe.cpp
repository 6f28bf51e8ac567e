#include "commands/commands.hpp"

#include "core/require.hpp"
#include "flags/file_plan.hpp"
#include "flags/help.hpp"
#include "flags/options.hpp"
#include "rows/rows_in_memory.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/progress_bar.hpp"
#include "terminal/summary.hpp"

#include <mercer/fit.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <charconv>
#include <cmath>
#include <memory>
#include <vector>

namespace mercer::cli {

namespace {

constexpr const char* probe_examples =
    "  mercer probe points.csv --direction 1,1              variance along the diagonal\n"
    "  mercer probe iris.csv --label species --direction 1,0,0,0 --direction 1,1,1,1 --json\n";

constexpr Index most_features_for_all = 2000;  // beyond, the smallest variance is not for free

struct ProbeFlags {
  RowFlags rows;
  RunFlags run;
  VarianceFlags variance;
  std::vector<std::string> directions;
  bool json = false;
};

std::vector<double> parse_direction(std::string_view text) {
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string_view cell = text.substr(begin, end - begin);
    while (cell.starts_with(' ') || cell.starts_with('+')) cell.remove_prefix(1);
    while (cell.ends_with(' ')) cell.remove_suffix(1);
    double value = 0;
    const auto [rest, status] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (status != std::errc{} || rest != cell.data() + cell.size() || !std::isfinite(value))
      throw UsageError(fmt::format("--direction '{}': '{}' is not a number; write it like 1,1,0",
                                   text, text.substr(begin, end - begin)));
    numbers.push_back(value);
    begin = end + 1;
  }
  return numbers;
}

Matrix<double> parse_directions(const std::vector<std::string>& texts) {
  Matrix<double> directions;
  for (const std::string& text : texts) {
    const std::vector<double> numbers = parse_direction(text);
    const auto length = static_cast<Index>(numbers.size());
    if (directions.rows() > 0 && length != directions.cols())
      throw UsageError(fmt::format("--direction '{}' has {} numbers, the one before it has {}",
                                   text, length, directions.cols()));
    const auto direction = Eigen::Map<const Eigen::RowVectorXd>(numbers.data(), length);
    if (direction.cwiseAbs().maxCoeff() == 0)
      throw UsageError(fmt::format("--direction '{}' is the zero vector", text));
    directions.conservativeResize(directions.rows() + 1, length);
    directions.bottomRows(1) = direction;
  }
  return directions;
}

struct Probe {
  Index rows = 0, features = 0;
  double total = 0, largest = 0, smallest = 0;
  bool has_smallest = false;
  Matrix<double> directions;
  Vector<double> variance;
};

std::string probe_json(const Probe& probe) {
  nlohmann::ordered_json list = nlohmann::json::array();
  for (Index i = 0; i < probe.variance.size(); ++i) {
    const auto row = probe.directions.row(i);
    list.push_back({{"direction", std::vector<double>(row.begin(), row.end())},
                    {"variance", probe.variance[i]},
                    {"ratio", probe.variance[i] / probe.total}});
  }
  nlohmann::ordered_json out = {{"n_samples", probe.rows},
                                {"n_features", probe.features},
                                {"total_variance", probe.total},
                                {"largest_variance", probe.largest}};
  out["smallest_variance"] = probe.has_smallest ? nlohmann::ordered_json(probe.smallest) : nullptr;
  out["directions"] = std::move(list);
  return out.dump(2) + "\n";
}

std::string words(const Probe& probe, const std::vector<std::string>& texts, const Terminal& out) {
  std::size_t width = 9;
  for (const std::string& text : texts)
    width = std::max(width, columns_of(shown(text, 40, out.unicode)));
  std::string text =
      out.bold(padded("direction", width) + fmt::format("{:>14}{:>10}", "variance", "ratio")) +
      "\n";
  for (Index i = 0; i < probe.variance.size(); ++i)
    text += padded(shown(texts[static_cast<std::size_t>(i)], 40, out.unicode), width) +
            fmt::format("{:>14.6g}{:>10}\n", probe.variance[i],
                        fmt::format("{:.2f} %", 100 * probe.variance[i] / probe.total));
  std::string scale = fmt::format("over all directions: largest {:.6g}", probe.largest);
  if (probe.has_smallest) scale += fmt::format(", smallest {:.6g}", probe.smallest);
  return text + out.dim(scale + fmt::format("; total {:.6g}", probe.total)) + "\n";
}

template <class T>
void probe_rows(const ProbeFlags& flags) {
  FilePlan().reads("DATA", flags.rows.data).check();
  const Matrix<double> directions = parse_directions(flags.directions);
  ProgressBar bar(!flags.run.quiet);
  FitOptions options = fit_options(flags.variance, flags.rows, flags.run, bar.monitor());
  const ReadOptions reading = read_options(flags.rows, flags.run, options.monitor, options.memory);
  KeptRows<T> rows(open<T>(flags.rows.data, reading), options.memory, true);
  note_header(rows.schema(), rows.name(), flags.rows, flags.run);
  const Index features = rows.schema().features;
  if (directions.cols() != features)
    throw UsageError(fmt::format("--direction '{}' has {} number{}, '{}' has {} feature column{}",
                                 flags.directions.front(), directions.cols(),
                                 directions.cols() == 1 ? "" : "s", rows.name(), features,
                                 features == 1 ? "" : "s"));
  const bool everything = features <= most_features_for_all;
  options.components = everything ? all_components() : Components(1);
  const Model<T> model = naming(rows.name(), [&] { return fit(rows, options); });
  const Vector<double> variance = model.explained_variance();
  rows.rewind();
  Probe probe;
  probe.directions = directions;
  probe.variance = variance_along(rows, directions, options);
  probe.rows = model.report().n_samples;
  probe.features = features;
  probe.total = model.report().total_variance;
  probe.largest = variance[0];
  probe.has_smallest = everything;
  // Fewer components than columns: the rest of the space has no variance.
  probe.smallest = model.outputs() < features ? 0 : variance[variance.size() - 1];
  stop_if_interrupted();
  bar.erase();
  print(flags.json ? probe_json(probe) : words(probe, flags.directions, terminal(STDOUT_FILENO)));
}

}  // namespace

void add_probe(CLI::App& app) {
  auto flags = std::make_shared<ProbeFlags>();
  CLI::App& command = add_command(
      app, "probe", "Compute the variance of rows along given directions", probe_examples);
  add_data(command, flags->rows.data)->required();
  add_list(command, "--direction", flags->directions, "1,1,0",
           "a direction: one number per feature column, of any length", "Results")
      ->allow_extra_args(false)
      ->required();
  add_switch(command, "--json", flags->json, "print the result as JSON", "Results");
  add_row_flags(command, flags->rows, Weights::yes, Filling::mean);
  add_variance_flags(command, flags->variance);
  add_precision_flag(command, flags->variance.precision, "precision of the rows");
  add_run_flags(command, flags->run);
  add_help(command);
  command.callback([flags] {
    if (parse_is_float(flags->variance.precision)) probe_rows<float>(*flags);
    else probe_rows<double>(*flags);
  });
}

}  // namespace mercer::cli
