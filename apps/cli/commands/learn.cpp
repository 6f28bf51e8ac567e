#include "commands/commands.hpp"

#include "commands/learn_compare.hpp"
#include "commands/learn_options.hpp"
#include "commands/learn_report.hpp"
#include "commands/learn_summary.hpp"
#include "commands/learn_trace.hpp"
#include "core/json_text.hpp"
#include "core/output_file.hpp"
#include "core/require.hpp"
#include "flags/help.hpp"
#include "flags/options.hpp"
#include "maps/from_text.hpp"
#include "rows/rows_in_memory.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/progress_bar.hpp"
#include "terminal/terminal.hpp"

#include <mercer/learn.hpp>
#include <mercer/picture.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>

namespace mercer::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* learn_examples =
    "  mercer learn wine.csv --label cultivar --scale std --rule gha -k 3 -o wine.st\n"
    "  mercer learn iris.csv --label species --rule oja --theory --trace t.csv --plot oja.svg\n"
    "  producer | mercer learn - --rule gha -k 3 -o model.st         row by row, until Ctrl-C\n"
    "  mercer learn big.npy -k 5 --checkpoint run.ckpt -o big.st     then, to continue:\n"
    "  mercer learn big.npy -k 5 --checkpoint run.ckpt -o big.st --resume\n"
    "  mercer learn iris.csv --label species --rule oja --rate 1/n --theorem --until-angle 1\n"
    "  mercer learn iris.csv --label species --compare hebb-normalized,oja\n"
    "  mercer learn --explain-rate --rate 'power(c=1,t0=100,a=0.75)'\n";

std::shared_ptr<const Map<double>> map_of(const LearnFlags& flags, const Schema& schema) {
  if (flags.map.empty()) return nullptr;
  return map_from_text<double>(flags.map, schema.features, schema.feature_names);
}

void learn_rows(const LearnFlags& flags) {
  if (flags.explain_rate) {
    const double forgetting = flags.forget.empty() ? 0 : parse_positive("--forget", flags.forget);
    if (forgetting >= 1) throw UsageError(fmt::format("--forget {} must be below 1", forgetting));
    return explain_rate(Rate::parse(flags.rate), forgetting, flags.json);
  }
  if (flags.rows.data.empty()) throw UsageError("DATA is missing");
  ProgressBar bar(!flags.run.quiet);
  LearnOptions options = learn_options(flags, bar.monitor());
  // Reading happens throughout: it only checks whether to stop, and leaves the bar to learning.
  ReadOptions reading = read_options(
      flags.rows, flags.run, [](const Progress&) { return !interrupted(); }, options.memory);
  reading.live = true;
  if (flags.rows.data == "-") reading.block_bytes = 256 << 10;  // rows that are lost when stopped
  check_compare(flags);
  check_outputs(flags);
  require_map(flags.map);

  const auto source = open<double>(flags.rows.data, reading);
  note_header(source->schema(), source->name(), flags.rows, flags.run);
  options.map = map_of(flags, source->schema());
  if (!flags.compare.empty())
    return naming(source->name(), [&] {
      compare(*source, flags.compare, options,
              {.trace = flags.trace, .json = flags.json, .quiet = flags.run.quiet});
    });
  options.on_prediction = [&](const StepPrediction& prediction, std::int64_t all) {
    if (!flags.run.quiet) say(prediction_note(prediction, all));
  };
  std::optional<TraceFile> trace;
  if (!flags.trace.empty()) {
    trace.emplace(flags.trace, flags.checkpoint, flags.resume);
    options.trace = trace->output();
    // A reader that has seen enough of the trace does not end a run that has more to give.
    if (flags.trace == "-" &&
        !(flags.model.empty() && flags.plot.empty() && flags.checkpoint.empty())) {
      const TraceOutput plain = options.trace;
      options.trace.row = [plain](const TraceRow& row) {
        survives_closed_pipe([&] { plain.row(row); });
      };
      options.trace.flush = [plain] { survives_closed_pipe(plain.flush); };
    }
  }
  if (options.model_every > 0)
    options.on_model = [&](const Model<double>& model) { model.save(flags.model); };
  const auto picture = [&](const std::vector<TraceRow>& rows) {
    return run_svg(
        rows, {.title = fmt::format("{} on {}, rate {}", flags.rule, source->name(), flags.rate)});
  };
  const auto write_files = [&](const Learned& learned) {
    std::optional<OutputFile> model_file, plot_file;
    prepare(model_file, flags.model, [&] { return learned.model.serialize(); });
    prepare(plot_file, flags.plot, [&] { return picture(learned.trace); });
    if (trace) survives_closed_pipe([&] { trace->finish(); });
    if (model_file) model_file->publish();
    if (plot_file) plot_file->publish();
    if (trace) survives_closed_pipe([&] { trace->publish(); });
  };
  std::optional<std::int64_t> before_bad_rows;
  options.on_bad_rows = [&](const Learned& learned) {
    write_files(learned);
    before_bad_rows = learned.rows;
  };

  // A run that diverges leaves its trace, its plot and the report: they show why.
  options.on_divergence = [&](const std::vector<TraceRow>& rows,
                              const std::optional<Theorem>& theorem) {
    std::optional<OutputFile> plot_file;
    if (!rows.empty()) prepare(plot_file, flags.plot, [&] { return picture(rows); });
    if (plot_file) plot_file->publish();
    if (!theorem) return;
    bar.erase();
    if (flags.json)
      print(
          json_text(Json{{"learning", {{"stop", "diverged"}, {"theorem", theorem_json(*theorem)}}}},
                    2) +
          "\n");
    else if (!flags.run.quiet) print(theorem_lines(*theorem));
  };

  const auto run = [&] {
    try {
      return naming(source->name(), [&] { return learn(*source, options); });
    } catch (const Error& error) {
      if (error.code() == Errc::not_converged && trace) trace->publish();
      if (!before_bad_rows || flags.model.empty()) throw;
      throw Error(error.code(),
                  fmt::format("{}; the model of the {} rows before it is in '{}'", error.what(),
                              *before_bad_rows, flags.model),
                  error.input());
    }
  };
  const Learned learned = run();
  write_files(learned);
  bar.erase();
  if (flags.resume && !learned.resumed_at && !flags.run.quiet)
    say(fmt::format("mercer: note: no checkpoint '{}' found; the run started from the beginning\n",
                    flags.checkpoint));
  if (!flags.run.quiet && !flags.json) show_learned(learned, flags, *source);
  if (flags.json) print(learned_json(learned, flags));
  if (learned.stop == LearnStop::interrupted)
    throw Error(Errc::interrupted,
                flags.model.empty()
                    ? fmt::format("interrupted after {} rows", learned.rows)
                    : fmt::format("interrupted after {} rows; the model of these is in '{}'",
                                  learned.rows, flags.model));
}

}  // namespace

void add_learn(CLI::App& app) {
  auto flags = std::make_shared<LearnFlags>();
  LearnFlags& f = *flags;
  CLI::App& c = add_command(
      app, "learn", "Learn principal components from a stream by Hebbian rules", learn_examples);
  add_data(c, f.rows.data);
  add_text(c, "-o,--output", f.model, "MODEL", "save the model here, also when interrupted",
           "Results");
  add_text(c, "-k,--components", f.components, "N", "number of components", "Results");
  add_text(c, "--model-every", f.model_every, "N", "also save the model every N steps", "Results");
  add_text(c, "--trace", f.trace, "FILE", "save the trace of the run (.csv .tsv .npy, or -)",
           "Results");
  add_text(c, "--trace-every", f.trace_every, "N", "steps between rows of the trace", "Results")
      ->default_str("about 1000 rows, denser at the beginning");
  add_text(c, "--plot", f.plot, "FILE.svg", "plot the run and its theory", "Results");
  add_switch(c, "--trace-weights", f.trace_weights,
             "the trace also has the weights, w1_1, w1_2, ..., from the start on", "Results");
  add_switch(c, "--theorem", f.theorem,
             "report on the six conditions of the stability theorem, and the number of steps",
             "Results");
  add_text(c, "--compare", f.compare, "RULE,RULE",
           "run two rules on the same rows, and report the gap per step; saves no model",
           "Results");
  add_text(c, "--ddof", f.ddof, "0|1", "variances over N - ddof", "Results")
      ->default_str("0; kernels without --landmarks: 1");
  add_switch(c, "--theory", f.theory, "compare the run with the exact components and the ODE",
             "Results");
  add_switch(c, "--json", f.json, "print the reports of model and run as JSON", "Results");
  add_switch(c, "--no-plot", f.no_plot, "no charts in the terminal", "Results");
  add_choice(c, "--rule", f.rule, "NAME", rule_values(), "learning rule", "Learning");
  such_as(add_text(c, "--rate", f.rate, "RATE", "learning rate", "Learning"), rate_values());
  add_switch(c, "--explain-rate", f.explain_rate,
             "print which Robbins-Monro conditions the rate meets, and why; learns nothing",
             "Learning");
  add_text(c, "--epochs", f.epochs, "N", "passes over the rows", "Learning")
      ->default_str("1 over a stream; in memory up to 100, until 0.1deg");
  add_choice(c, "--order", f.order, "", order_values(),
             "order of the rows; auto: shuffled in each epoch when they fit into memory",
             "Learning");
  add_text(c, "--until", f.until, "ANGLE",
           "stop when no weight vector rotates by more between checks: 0.5deg", "Learning");
  add_text(
      c, "--until-angle", f.until_angle, "ANGLE",
      "stop at the first step with all weight vectors within this angle of the exact ones: 1deg",
      "Learning");
  such_as(add_text(c, "--start", f.start, "W",
                   "first weights: random(norm=2), numbers such as 1,0, or a file with one row per "
                   "component",
                   "Learning")
              ->default_str("random, of length 1"),
          {{"random", "orthonormal, by --seed"}, {"random(norm=2)", "of length 2"}});
  add_text(c, "--batch", f.batch, "N", "rows per update", "Learning");
  such_as(
      add_text(c, "--mean", f.mean, "running|none|FILE",
               "mean to subtract: of the rows so far, none, or the one row of a file", "Learning"),
      {{"running", ""}, {"none", ""}});
  add_text(c, "--forget", f.forget, "X", "forgetting per row, for streams that drift", "Learning")
      ->default_str("0");
  add_text(c, "--limit", f.limit, "A", "upper bound of every weight", "Learning");
  add_scale_flag(c, f.scale, "std: divide each column by its standard deviation; takes a pass",
                 "Learning");
  add_kernel_flag(c, f.kernel, "learn in the feature space of a kernel");
  add_text(c, "--landmarks", f.landmarks, "N", "rows that span the feature space of --kernel",
           "Space")
      ->default_str("all rows: kernel Hebbian learning");
  add_map_flag(c, f.map, "learn from explicit features");
  add_text(c, "--checkpoint", f.checkpoint, "FILE",
           "save the state of the run here; the previous state is FILE.previous",
           "Stopping and resuming");
  add_text(c, "--checkpoint-every", f.checkpoint_every, "N", "steps between checkpoints",
           "Stopping and resuming")
      ->default_str("every 10 s");
  add_switch(c, "--resume", f.resume, "continue from the checkpoint, bit for bit",
             "Stopping and resuming");
  add_row_flags(c, f.rows, Weights::yes, Filling::drop);
  add_text(c, "--memory", f.memory, "SIZE", "memory budget such as 256MiB; larger data is streamed",
           "Running")
      ->default_str("half of the free memory");
  add_run_flags(c, f.run);
  add_help(c);
  c.callback([flags] {
    if (flags->rule == "sanger") flags->rule = "gha";
    learn_rows(*flags);
  });
}

}  // namespace mercer::cli
