#include "commands/commands.hpp"

#include "commands/tune_checkpoint.hpp"
#include "core/memory.hpp"
#include "core/output_file.hpp"
#include "core/parallel.hpp"
#include "core/require.hpp"
#include "flags/file_plan.hpp"
#include "flags/help.hpp"
#include "flags/options.hpp"
#include "flags/spelling.hpp"
#include "rows/model_file.hpp"
#include "rows/preimage_rows.hpp"
#include "rows/rows_in_memory.hpp"
#include "terminal/bars.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/progress_bar.hpp"
#include "terminal/summary.hpp"
#include "tune/grid.hpp"

#include <mercer/picture.hpp>
#include <mercer/tune.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <unistd.h>

#include <cmath>
#include <memory>
#include <optional>

namespace mercer::cli {

namespace {

constexpr const char* tune_examples =
    "  mercer tune wine.csv --label cultivar --scale std --kernel rbf -o best.st\n"
    "  mercer tune data.npy --kernel 'rbf(gamma={0.01..10:7})' --kernel 'poly(degree={2,3})' -k "
    "2,5,10\n"
    "  mercer tune data.npy --kernel laplacian --criterion parallel --plot tune.svg\n"
    "  mercer tune big.npy --kernel rbf --rows 5000 --checkpoint tune.jsonl    resumable\n";

struct TuneFlags {
  RowFlags rows;
  RunFlags run;
  VarianceFlags variance;
  std::vector<std::string> kernels;
  std::string criterion = "preimage-cv", components, folds = "5", noise = "0.5", most_rows = "2000";
  std::string method = "auto";
  std::string model, table, plot, checkpoint;
  bool json = false;
};

std::vector<Index> parse_list(const std::string& text) {
  std::vector<Index> numbers;
  for (std::size_t begin = 0; !text.empty() && begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    numbers.push_back(static_cast<Index>(
        parse_integer("--components", text.substr(begin, end - begin), 1, 1'000'000)));
    begin = end + 1;
  }
  return numbers;
}

std::vector<OptionValue> criterion_values() {
  using enum Criterion;
  return {{std::string(name_of(preimage_cv)), "pre-image error of held-out rows"},
          {std::string(name_of(parallel)), "variance of significant components above chance"},
          {std::string(name_of(likelihood)), "leave-one-out likelihood; rbf and laplacian"}};
}

/// One line per kernel: its best cell, with a bar.
std::string chart(const Tuned& tuned, Criterion criterion, const Terminal& out) {
  const bool least = criterion == Criterion::preimage_cv;
  std::vector<const TuneCell*> lines;
  for (const TuneCell& cell : tuned.cells) {
    if (lines.empty() || lines.back()->kernel != cell.kernel) lines.push_back(&cell);
    else if (!std::isnan(cell.score) && !(lines.back()->score <= cell.score)) lines.back() = &cell;
  }
  const TuneCell& best = tuned.cells[tuned.best];
  double high = -INFINITY, low = INFINITY;
  std::size_t width = 6;
  for (const TuneCell*& line : lines) {
    if (line->kernel == best.kernel) line = &best;
    width = std::max(width, line->kernel.size());
    if (std::isnan(line->score)) continue;
    high = std::max(high, line->score);
    low = std::min(low, line->score);
  }
  if (least || criterion == Criterion::parallel) low = 0;
  const int room = std::clamp(out.width - static_cast<int>(width) - 34, 0, 40);
  std::string text =
      out.bold(fmt::format("  {:<{}}{:>6}{:>12}{:>10}", "kernel", width, "k",
                           least ? "error" : name_of(criterion), least ? "+-" : "")) +
      "\n";
  for (const TuneCell* line : lines) {
    text += line == &best ? "* " : "  ";
    text += fmt::format("{:<{}}", line->kernel, width);
    if (!line->problem.empty() && std::isnan(line->score)) {
      text += "  " + out.dim(line->problem) + "\n";
      continue;
    }
    text +=
        line->components > 0 ? fmt::format("{:>6}", line->components) : fmt::format("{:>6}", "");
    text += fmt::format("{:>12.5g}", line->score);
    text += line->spread > 0 ? fmt::format("{:>10.2g}", line->spread) : fmt::format("{:>10}", "");
    text += "  " + bar(high > low ? (line->score - low) / (high - low) : 1, room, out) + "\n";
  }
  return text;
}

std::string table_text(const Tuned& tuned) {
  std::string text = "kernel,components,score,spread,best,problem\n";
  const auto quoted = [](const std::string& cell) {
    std::string out = "\"";
    for (const char c : cell) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
  };
  for (std::size_t i = 0; i < tuned.cells.size(); ++i) {
    const TuneCell& cell = tuned.cells[i];
    text += fmt::format("{},{},{},{},{},{}\n", quoted(cell.kernel), cell.components,
                        std::isnan(cell.score) ? "" : fmt::format("{}", cell.score), cell.spread,
                        i == tuned.best ? 1 : 0, cell.problem.empty() ? "" : quoted(cell.problem));
  }
  return text;
}

/// Folds are fitted at the same time, each with its rows, its kernel matrix and its pre-images:
/// fewer at once if --memory requires that. Results do not depend on it.
struct TuneMemory {
  double held, preimages, least_fit;
  double least(double row_bytes) const {
    return std::max(2 * row_bytes, held + preimages + least_fit);
  }
};

/// For rows of so many bytes in all.
TuneMemory memory_for(const TuneOptions& options, double rows, double columns, double number_bytes,
                      double row_bytes) {
  const double used = std::min(static_cast<double>(options.rows), rows);
  const double held = 2 * number_bytes * used * columns + 400 * columns + row_bytes;
  const double learned = std::min(used, 1000.0);
  // Of wide rows: those of a fold that are reconstructed at once, and of a tile of kernel values.
  const double reconstructed = std::min(256.0, used / options.folds + 1);
  const double wide = 6 * reconstructed * columns + 2 * std::min(256 * columns, double{1 << 20});
  const double preimages =
      8 * (2 * learned * learned + 256 * (3 * used + learned) + used * (3 * columns + 192) + wide);
  // The matrices of LAPACK or, where they are smaller, the Krylov basis; and what every fit takes.
  const double least_fit = 8 * used * std::min(4 * used, 2400.0) + (26 << 20) +
                           8 * std::min(256 * columns, double{1 << 20}) + 800 * columns;
  return {held, preimages, least_fit};
}

template <class T>
void share_memory(TuneOptions& options, const Rows<T>& all) {
  const auto total = static_cast<double>(options.fit.memory);
  const double bytes = sizeof(T) * static_cast<double>(all.entries());
  const TuneMemory memory = memory_for(options, static_cast<double>(all.rows()),
                                       static_cast<double>(all.cols()), sizeof(T), bytes);
  const auto [held, preimages, least_fit] = memory;
  require(memory.least(0) <= total, Errc::out_of_memory,
          "--memory {} is too small: tuning on {} rows needs at least {}; use fewer (--rows)",
          format_bytes(total), std::min(options.rows, all.rows()),
          format_least_bytes(memory.least(bytes)));
  const double affordable = (total - held) / (preimages + least_fit);
  const int threads = std::min(thread_count(options.fit.threads), options.folds);
  options.fit.threads = std::clamp(static_cast<int>(std::min(affordable, 4096.0)), 1, threads);
  options.preimage.threads = options.fit.threads;
  options.fit.memory = static_cast<std::size_t>((total - held) / options.fit.threads - preimages);
}

/// Throws when an expression is of no kernel at all: where only some of a list are none, the others
/// are compared.
void require_kernel(const std::string& expression) {
  std::optional<Error> first;
  for (const std::string& text : written_out({expression})) {
    try {
      Kernel::parse(text);
      return;
    } catch (const Error& error) {
      if (!first) first = error;
    }
  }
  if (first) throw *first;
}

template <class T>
void tune_rows(const TuneFlags& flags) {
  ProgressBar bar(!flags.run.quiet);
  TuneOptions options;
  options.fit = fit_options(flags.variance, flags.rows, flags.run, bar.monitor());
  options.criterion = parse_criterion(flags.criterion);
  options.components = parse_list(flags.components);
  options.folds = static_cast<int>(parse_integer("--folds", flags.folds, 2, 100));
  options.noise = flags.noise == "0" ? 0 : parse_positive("--noise", flags.noise);
  options.rows = static_cast<Index>(parse_integer("--rows", flags.most_rows, 10, 100'000));
  options.preimage.method = parse_preimage_method(flags.method);
  options.preimage.threads = options.fit.threads;
  if (flags.checkpoint == "-") throw UsageError("--checkpoint must be a file");
  FilePlan plan;
  plan.reads("DATA", flags.rows.data)
      .writes("--output", flags.model, Content::model)
      .writes("--table", flags.table, Content::table)
      .writes("--plot", flags.plot, Content::picture)
      .writes("--checkpoint", flags.checkpoint, Content::checkpoint)
      .prints_json(flags.json);
  plan.check();
  for (const std::string& expression : flags.kernels) require_kernel(expression);

  const std::size_t memory = options.fit.memory;
  const int threads = options.fit.threads;
  const ReadOptions reading = read_options(flags.rows, flags.run, options.fit.monitor, memory);
  KeptRows<T> source(open<T>(flags.rows.data, reading), options.fit.memory, true);
  note_header(source.schema(), source.name(), flags.rows, flags.run);
  if (!source.in_memory()) {
    // How many rows a text has is estimated, to a few percent.
    const double rows = 1.05 * static_cast<double>(source.expected_rows());
    const auto columns = static_cast<double>(source.schema().features);
    const double bytes = sizeof(T) * rows * columns;
    fail(Errc::out_of_memory,
         "'{}' does not fit into half of --memory {}, and tuning samples from all rows: at least "
         "{} is needed",
         source.name(), format_bytes(static_cast<double>(memory)),
         format_least_bytes(memory_for(options, rows, columns, sizeof(T), bytes).least(bytes)));
  }
  const Rows<T> all = source.whole()->rows;
  const std::span<const double> weights = source.whole()->weights;
  share_memory(options, all);
  options.kernels = kernel_grid<T>(flags.kernels, all, options.fit.scale, weights);
  std::optional<TuneCheckpoint> checkpoint;
  if (!flags.checkpoint.empty()) {
    checkpoint.emplace(flags.checkpoint, run_identity(all, weights, options));
    options.known = checkpoint->cells();
    options.on_cells = [&](const std::vector<TuneCell>& cells) { checkpoint->add(cells); };
  }
  Tuned tuned = naming(source.name(), [&] { return tune(all, options, weights); });
  for (TuneCell& cell : tuned.cells) cell.problem = in_flags(cell.problem);
  const TuneCell& best = tuned.cells[tuned.best];
  const Index row_count = all.rows(), columns = all.cols();
  // Not earlier: a run that is killed leaves no file behind but its checkpoint.
  std::optional<OutputFile> model_file, table_file, plot_file;
  if (!flags.model.empty()) {
    // One fit, where folds had been at work beside each other.
    tuned.options.memory = memory;
    tuned.options.threads = threads;
    const Model<T> model = naming(source.name(), [&] { return fit(source, tuned.options); });
    model_file.emplace(flags.model);
    write_to(model_file, [&](OutputFile& file) {
      write_model(file, model);
      file.finish();
    });
  }
  prepare(table_file, flags.table, [&] { return table_text(tuned); });
  prepare(plot_file, flags.plot, [&] { return tune_svg(tuned, options.criterion); });
  source.require_unchanged();
  stop_if_interrupted();
  for (auto* file : {&model_file, &table_file, &plot_file})
    if (*file) (*file)->publish();
  bar.erase();
  if (flags.json) return print(tuned_json(tuned, options.criterion) + "\n");
  if (flags.run.quiet) return;
  const bool data_on_stdout = flags.model == "-" || flags.table == "-" || flags.plot == "-";
  const Terminal out = terminal(data_on_stdout ? STDERR_FILENO : STDOUT_FILENO);
  std::string text =
      fmt::format("{}  {} rows x {} columns, {} kernels, {}\n\n",
                  out.bold(shown(source.name(), 60, out.unicode)), row_count, columns,
                  options.kernels.size(), name_of(options.criterion)) +
      chart(tuned, options.criterion, out) +
      fmt::format("\n{}{}: {}\n", best.kernel,
                  best.components > 0 ? fmt::format(", -k {}", best.components) : "", tuned.reason);
  if (!flags.model.empty() && flags.model != "-") text += fmt::format("model   {}\n", flags.model);
  if (data_on_stdout) say(text);
  else print(text);
}

}  // namespace

void add_tune(CLI::App& app) {
  auto flags = std::make_shared<TuneFlags>();
  CLI::App& command = add_command(
      app, "tune", "Choose a kernel and a number of components by cross-validation", tune_examples);
  add_data(command, flags->rows.data)->required();
  add_list(command, "--kernel", flags->kernels, "EXPR",
           "kernels to compare, with lists {0.1,1,10} and ranges {0.01..10:7}; rbf alone: nine "
           "widths around that of the data",
           "Space")
      ->allow_extra_args(false)
      ->required();
  add_choice(command, "--criterion", flags->criterion, "NAME", criterion_values(),
             "what is compared", "Space");
  add_text(command, "-k,--components", flags->components, "LIST",
           "numbers of components to compare", "Space")
      ->default_str("1,2,4 ... 64");
  add_text(command, "--noise", flags->noise, "X",
           "noise added to held-out rows, in standard deviations of their columns", "Space");
  add_choice(command, "--method", flags->method, "NAME", preimage_method_values(),
             "how pre-images are computed", "Space");
  add_text(command, "-o,--output", flags->model, "MODEL", "save the best model, fitted to all rows",
           "Results");
  add_text(command, "--plot", flags->plot, "FILE", "plot the scores (.svg)", "Results");
  add_text(command, "--table", flags->table, "FILE", "save all scores as CSV", "Results");
  add_switch(command, "--json", flags->json, "print all scores as JSON", "Results");
  add_text(command, "--checkpoint", flags->checkpoint, "FILE",
           "save finished kernels here, and continue from them", "Running");
  add_text(command, "--folds", flags->folds, "N", "folds of the cross-validation", "Running");
  add_text(command, "--rows", flags->most_rows, "N", "largest number of rows, drawn at random",
           "Running");
  add_row_flags(command, flags->rows, Weights::yes, Filling::mean);
  add_variance_flags(command, flags->variance);
  add_precision_flag(command, flags->variance.precision, "precision of the rows and of the model");
  add_run_flags(command, flags->run);
  add_help(command);
  command.callback([flags] {
    if (parse_is_float(flags->variance.precision)) tune_rows<float>(*flags);
    else tune_rows<double>(*flags);
  });
}

}  // namespace mercer::cli
