#include "commands/commands.hpp"

#include "flags/help.hpp"
#include "flags/options.hpp"
#include "flags/through_model.hpp"
#include "rows/model_rows.hpp"
#include "rows/scores.hpp"
#include "terminal/job.hpp"
#include "terminal/progress_bar.hpp"

#include <mercer/score.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <optional>

namespace mercer::cli {

namespace {

constexpr const char* transform_examples =
    "  mercer transform wine.st new.csv -o scores.csv\n"
    "  mercer transform wine.st new.csv | head              scores on standard output\n"
    "  mercer transform wine.st part-*.csv -o scores.csv    several files, one table\n"
    "  zcat new.csv.gz | mercer transform wine.st - -o scores.npy\n";

template <class T>
void transform_rows(const Model<T>& model, const ThroughModelFlags& flags) {
  const Job& here = job();
  ProgressBar bar(!flags.run.quiet && here.leads());
  ReadOptions reading = read_options(flags.rows, flags.run, bar.monitor());
  const MemoryBudget budget = settled(model, flags, reading);
  const auto source = open_like(model, flags, reading);
  std::optional<Sink<T>> out;
  together([&] {
    out.emplace(
        open_scores(flags.output, model, source->schema(), {reading.threads, reading.monitor}));
    while (const auto block = source->next())
      write_scores(*out, model, *block, {reading.threads, reading.missing}, budget.piece_bytes());
  });
  out->finish();
  together(stop_if_interrupted);
  out->close();
  bar.erase();
  note_dropped(*source, flags.run.quiet);
  say_lost_digits(lost_digits(model), flags.run);
}

}  // namespace

void add_transform(CLI::App& app) {
  auto flags = std::make_shared<ThroughModelFlags>();
  CLI::App& command =
      add_command(app, "transform", "Compute the scores of new rows", transform_examples);
  add_through_model_flags(command, *flags, "DATA",
                          "rows with the model's columns, in any order; - for standard input; "
                          "several files form one table",
                          "the scores (.csv .tsv .npy; - for standard output)", Weights::no,
                          Parts::several);
  command.callback([flags] {
    by_first([&] { files_of(*flags, "DATA").check(); });
    std::visit([&](const auto& model) { transform_rows(model, *flags); }, load_model(*flags));
  });
}

}  // namespace mercer::cli
