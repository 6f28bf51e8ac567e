#include "commands/commands.hpp"

#include "core/memory.hpp"
#include "core/output_file.hpp"
#include "core/require.hpp"
#include "core/team.hpp"
#include "data/share.hpp"
#include "flags/file_plan.hpp"
#include "flags/help.hpp"
#include "flags/options.hpp"
#include "flags/spelling.hpp"
#include "maps/from_text.hpp"
#include "rows/model_file.hpp"
#include "rows/rounded_rows.hpp"
#include "rows/rows_in_memory.hpp"
#include "rows/scores.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/job.hpp"
#include "terminal/job_costs.hpp"
#include "terminal/model_points.hpp"
#include "terminal/progress_bar.hpp"
#include "terminal/scatter.hpp"
#include "terminal/summary.hpp"

#include <mercer/fit.hpp>
#include <mercer/fit_checkpoint.hpp>
#include <mercer/impute.hpp>
#include <mercer/plan_text.hpp>
#include <mercer/team_plan.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace mercer::cli {

namespace {

constexpr const char* fit_examples =
    "  mercer fit iris.csv --label species                  a summary; nothing is saved\n"
    "  mercer fit wine.csv --label cultivar --scale std -k 0.9 -o wine.st --scores scores.csv\n"
    "  mercer fit big.npy -k 10 --memory 256MiB -o big.st   larger than memory: streamed, exact\n"
    "  mercer fit wine.csv --label cultivar --scale std --kernel rbf -k 3\n"
    "  mercer fit big.npy --kernel rbf -k 10 --approx 'cholesky(rank=500)' --memory 1GiB\n"
    "  mercer fit big.npy --kernel rbf -k 10 --time 30s     exact if fast enough\n"
    "  mercer fit big.npy --kernel rbf -k 10 --explain      print the method and its cost only\n"
    "  mercer fit big.npy -k 10 --explain --ranks 8         what eight processes would cost\n"
    "  mercer fit part-*.npy -k 10 -o all.st                several files, one table\n"
    "  zcat rows.csv.gz | mercer fit - -k 2 --json\n";

struct FitFlags {
  std::vector<std::string> parts;
  RowFlags rows;
  RunFlags run;
  VarianceFlags variance;
  std::string kernel, map;
  std::string approx = "none", time;
  bool precomputed = false;
  bool clip = false;
  bool keep_null = false;
  std::string components;
  std::string solver = "auto";
  std::string tolerance = "1e-10";
  std::string keep_rows = "0";
  std::string model, scores, imputed;
  std::string checkpoint;
  bool resume = false;
  bool json = false;
  bool no_plot = false;
  bool explain = false;
  std::string ranks, network;
};

/// Says before the work what could only fail after it.
void check_outputs(const FitFlags& flags) {
  FilePlan plan;
  plan.reads("DATA", flags.parts)
      .writes("--output", flags.model, Content::model)
      .writes("--scores", flags.scores, Content::rows)
      .writes("--imputed", flags.imputed, Content::rows)
      .prints_json(flags.json);
  plan.check();
}

template <class T>
void show(const FitFlags& flags, const Model<T>& model, const Source<T>& source,
          const std::optional<Cloud>& cloud, const std::vector<ProcessCosts>& costs) {
  const bool data_on_stdout = flags.model == "-" || flags.scores == "-" || flags.imputed == "-";
  const Terminal out = terminal(data_on_stdout ? STDERR_FILENO : STDOUT_FILENO);
  const Summary summary = summarize(model);
  std::string text =
      out.bold(shown(source.name(), 60, out.unicode)) + "  " + shape_line(summary, out);
  if (!summary.label_column.empty()) {
    text += fmt::format(", label {}", shown(summary.label_column, 24, out.unicode));
    if (cloud) text += fmt::format(" ({} classes)", cloud->labels);
  }
  text += "\n";
  if (const Index n = source.dropped_rows(); n > 0)
    text += fmt::format("{} row{} with missing values dropped\n", n, n == 1 ? "" : "s");
  if (const Index n = source.missing_cells(); n > 0 && !summary.report.imputation)
    text += fmt::format("{} missing value{} replaced by the column mean\n", n, n == 1 ? "" : "s");
  text += space_lines(summary, out) + choice_lines(summary);
  text += out.dim(solver_line(summary, out)) + "\n";
  if (!costs.empty()) text += out.dim(costs_line(costs)) + "\n";
  text += approximation_line(summary, out) + certificate_line(summary) + "\n" +
          component_table(summary, out) + "\n" + loading_lines(summary, out) +
          relation_lines(summary, out);
  if (cloud)
    text += "\n" + (cloud->y.empty()
                        ? strips(*cloud, out, axis_title(summary, 0))
                        : scatter(*cloud, out, axis_title(summary, 0), axis_title(summary, 1)));
  if (!flags.model.empty() && flags.model != "-")
    text += fmt::format("\nmodel   {}\n", flags.model);
  if (!flags.scores.empty() && flags.scores != "-")
    text += fmt::format("{}scores  {}\n", flags.model.empty() || flags.model == "-" ? "\n" : "",
                        flags.scores);
  if (data_on_stdout) say(text);
  else print(text);
}

/// Kernels have as many components as rows: the default is the first few of them.
Components components_of(const FitFlags& flags) {
  if (!flags.components.empty()) return parse_components(flags.components);
  constexpr Index first_look = 10;
  return flags.kernel.empty() && !flags.precomputed ? all_components() : at_most(first_look);
}

void check_space(const FitFlags& flags) {
  const int spaces = !flags.kernel.empty() + !flags.map.empty() + flags.precomputed;
  if (spaces > 1) throw UsageError("--kernel, --map and --precomputed are mutually exclusive");
  if (!flags.imputed.empty() && flags.rows.missing != "em")
    throw UsageError("--imputed requires --missing em");
  if (flags.rows.missing == "em" && !flags.map.empty())
    throw UsageError("--missing em is for linear PCA; maps take --missing mean or drop");
  if (!flags.ranks.empty() && !flags.explain)
    throw UsageError("--ranks requires --explain; mercer-mpi fits on several processes");
  if (!flags.network.empty() && flags.ranks.empty())
    throw UsageError("--network requires --explain --ranks");
  if (flags.clip && flags.kernel.empty() && !flags.precomputed)
    throw UsageError("--clip requires --kernel or --precomputed");
}

void check_checkpoint(const FitFlags& flags) {
  if (flags.resume && flags.checkpoint.empty())
    throw UsageError("--resume requires --checkpoint DIR");
  if (!flags.checkpoint.empty() && flags.checkpoint == flags.model)
    throw UsageError(fmt::format("--output and --checkpoint are both '{}'", flags.model));
}

/// An interrupted fit says how to continue it.
template <class Work>
auto resumable(const FitFlags& flags, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.code() != Errc::interrupted || flags.checkpoint.empty()) throw;
    throw Error(error.code(), "interrupted; --resume continues with what was saved");
  }
}

/// What several processes do not do together.
void check_job(const FitFlags& flags, const Job& here) {
  if (!here.team) return;
  const auto refuse = [](bool asked, const char* flag) {
    if (asked) throw UsageError(fmt::format("{} is for one process: mercer fit", flag));
  };
  refuse(!flags.imputed.empty(), "--imputed");
  refuse(flags.scores == "-", "--scores -");
  refuse(flags.explain, "--explain");
}

template <class T>
std::shared_ptr<const Map<T>> map_of(const Schema& schema, const FitFlags& flags) {
  return map_from_text<T>(flags.map, schema.features, schema.feature_names);
}

template <class T>
Model<T> fit_source(Source<T>& rows, const FitFlags& flags, const FitOptions& options) {
  if (flags.map.empty()) return fit(rows, options);
  return fit(rows, map_of<T>(rows.schema(), flags), options);
}

template <class T>
Plan plan_source(Source<T>& rows, const FitFlags& flags, const FitOptions& options) {
  if (flags.map.empty()) return plan(rows, options);
  return plan(rows, map_of<T>(rows.schema(), flags), options);
}

/// What --ranks processes cost, for rows of which a plan knows the facts.
TeamPlan team_plan_of(const Facts& rows, bool weighted, const FitFlags& flags,
                      const FitOptions& options) {
  TeamFacts team{.weighted = weighted};
  team.ranks = static_cast<int>(parse_integer("--ranks", flags.ranks, 1, 100'000));
  if (!flags.network.empty()) team.network = parse_network(flags.network, "--network");
  Facts facts = rows;
  facts.in_memory = false;
  facts.budget = static_cast<double>(options.memory);
  return team_plan(facts, options, team);
}

/// Text that is not in memory is not counted; where its size does not tell the number of rows
/// either, as for compressed files, the plan counts them.
template <class T>
RowCount count_of(const KeptRows<T>& rows, const FitFlags& flags, Format format) {
  const auto is_text = [&](const std::string& path) {
    return format == Format::csv || format == Format::tsv ||
           (format == Format::by_extension && (path.ends_with(".csv") || path.ends_with(".tsv")));
  };
  const bool estimated =
      !rows.in_memory() && rows.expected_rows() > 0 && std::ranges::any_of(flags.parts, is_text);
  return estimated ? RowCount::estimated : RowCount::exact;
}

/// Prints a note before a long fit, or one that takes more than half of the memory.
void announce(const Plan& plan) {
  if (!plan.refusal.empty()) return;   // nothing will be done
  constexpr double long_flops = 1e13;  // minutes on a few cores
  const bool is_long = plan.chosen.flops > long_flops;
  const bool large = plan.chosen.bytes > plan.facts.budget / 2;
  if (!is_long && !(large && terminal(STDERR_FILENO).interactive)) return;
  say(
      fmt::format("mercer: note: {} takes about {:.1e} flops and {} of {}; --explain lists the "
                  "alternatives\n",
                  plan.chosen.method, plan.chosen.flops, format_bytes(plan.chosen.bytes),
                  format_bytes(plan.facts.budget)));
}

/// The rows with their missing cells filled, as a file.
template <class T>
Sink<T> imputed_file(const FitFlags& flags, const Imputed<T>& imputed, const Block<T>& rows,
                     const Schema& schema) {
  Sink<T> file(flags.imputed,
               schema.feature_names.empty() ? numbered("x", schema.features) : schema.feature_names,
               {schema.id, schema.label});
  file.write(imputed.x, rows.ids, rows.labels, rows.first_label);
  file.finish();
  return file;
}

template <class T>
void fit_rows(const FitFlags& flags) {
  check_space(flags);
  check_checkpoint(flags);
  const Job& here = job();
  check_job(flags, here);
  ProgressBar bar(!flags.run.quiet && here.leads());
  FitOptions options = fit_options(flags.variance, flags.rows, flags.run, bar.monitor());
  if (!flags.kernel.empty()) options.kernel = Kernel::parse(flags.kernel);
  if (flags.approx != "none") options.approx = parse_approx(flags.approx);
  if (!flags.time.empty()) options.seconds = parse_seconds("--time", flags.time);
  options.team = here.team;
  std::optional<FitCheckpoint> checkpoint;
  if (!flags.checkpoint.empty()) checkpoint.emplace(flags.checkpoint, flags.resume);
  options.checkpoint = checkpoint ? &*checkpoint : nullptr;
  if (here.team && flags.variance.memory.empty())
    options.memory /= static_cast<std::size_t>(here.processes_here);
  options.precomputed = flags.precomputed;
  options.clip = flags.clip;
  options.keep_null = flags.keep_null;
  options.components = components_of(flags);
  options.solver = parse_solver(flags.solver);
  options.tolerance = parse_tolerance(flags.tolerance);
  options.keep_rows = parse_integer("--keep-rows", flags.keep_rows, 0, 1'000'000'000);
  const ReadOptions reading = read_options(flags.rows, flags.run, options.monitor, options.memory);
  by_first([&] { check_outputs(flags); });
  require_map(flags.map);

  const bool words = !flags.run.quiet && !flags.json;
  const TransformOptions transforming{options.threads, options.missing};

  std::unique_ptr<Source<T>> files = here.team ? open_share<T>(flags.parts, reading, *here.team)
                                               : open_parts<T>(flags.parts, reading);
  std::optional<KeptRows<T>> kept;
  together([&] {
    kept.emplace(std::move(files), options.memory, !flags.scores.empty() || !flags.imputed.empty());
  });
  KeptRows<T>& rows = *kept;
  // Rows that are not kept are drawn as they go by, and passes from a checkpoint show none.
  const bool plot = words && !flags.no_plot && !here.team && (rows.in_memory() || !flags.resume);
  note_header(rows.schema(), flags.parts.front(), flags.rows, flags.run);
  if (flags.explain) {
    const RowCount counted = count_of(rows, flags, reading.format);
    Plan planned = naming(
        rows.name(), [&] { return plan_source<T>(rows, flags, options); }, flags.parts);
    bar.erase();
    if (!flags.ranks.empty()) {
      TeamPlan team = team_plan_of(planned.facts, rows.schema().weighted, flags, options);
      team.plan.refusal = in_flags(team.plan.refusal);
      return print(flags.json ? to_json(team, counted) + "\n" : to_text(team, counted));
    }
    planned.refusal = in_flags(planned.refusal);
    return print(flags.json ? to_json(planned, counted) + "\n" : to_text(planned, counted));
  }
  if (!flags.run.quiet && !here.team && rows.expected_rows() > 0 && options.seconds == 0)
    announce(naming(
        rows.name(), [&] { return plan_source<T>(rows, flags, options); }, flags.parts));
  std::optional<Watched<T>> stream;  // what is not kept is sampled for the picture as it passes
  if (plot && !rows.in_memory()) {
    const auto sample_bytes =
        static_cast<Index>(std::min<std::size_t>(16 << 20, options.memory / 16));
    stream.emplace(rows, std::clamp<Index>(
                             sample_bytes / static_cast<Index>(sizeof(T)) / rows.schema().features,
                             8, most_points));
  }
  std::optional<Sink<T>> imputed;
  Model<T> model = naming(
      rows.name(),
      [&] {
        // Of rows that are not in memory, the fit states what would be enough.
        if (!flags.imputed.empty() && rows.in_memory()) {
          const Block<T> all = *rows.whole();
          const Imputed<T> filled = impute(all.rows, options, {}, all.weights);
          survives_closed_pipe(
              [&] { imputed.emplace(imputed_file(flags, filled, all, rows.schema())); });
          return fit(filled, options, all.weights, rows.schema());
        }
        return resumable(flags, [&] {
          return stream ? fit_source<T>(*stream, flags, options)
                        : fit_source<T>(rows, flags, options);
        });
      },
      flags.parts);
  if constexpr (std::is_same_v<T, float>)
    if (!hold_floats(flags.parts)) model = of_rounded_rows(std::move(model), options.tolerance);

  require(flags.imputed.empty() || rows.in_memory(), Errc::out_of_memory,
          "--imputed needs all rows in memory; give a larger --memory");

  std::optional<Cloud> cloud;
  std::optional<OutputFile> model_file;
  std::optional<Sink<T>> scores;
  const Index mine = rows.in_memory() ? rows.whole()->rows.rows() : 0;
  const Index before = here.team ? scan(*here.team, mine).before : 0;
  together([&] {
    if (!flags.model.empty() && here.leads()) model_file.emplace(flags.model);
    write_to(model_file, [&](OutputFile& file) {
      write_model(file, model);
      file.finish();
    });
    if (!flags.scores.empty())
      scores.emplace(
          open_scores(flags.scores, model, rows.schema(), {options.threads, options.monitor}));
    write_to(scores, [&](Sink<T>& file) {
      write_training_scores<T>(file, model, rows, before, transforming);
    });
    if (plot)
      cloud = stream ? cloud_of(model, stream->sample(), transforming)
                     : cloud_of(model, *rows.whole(), transforming);
    rows.require_unchanged();
    stop_if_interrupted();
  });
  write_to(scores, [](Sink<T>& file) { file.finish(); });
  // Nothing appears unless all processes have come this far.
  together([&] {
    stop_if_interrupted();
    if (model_file) model_file->publish();
  });
  if (scores) scores->close();
  if (imputed) imputed->close();
  if (checkpoint) checkpoint->remove();
  std::vector<ProcessCosts> costs;
  if (here.team) costs = costs_of(*here.team);
  bar.erase();
  if (flags.resume && !flags.run.quiet && here.leads())
    say(fmt::format("mercer: {} of {} passes taken from the checkpoint '{}'\n",
                    checkpoint->passes_read(), checkpoint->passes(), flags.checkpoint));
  if (words) show(flags, model, rows, cloud, costs);
  if (flags.json) print(with_costs(to_json(model), costs) + "\n");
}

}  // namespace

void add_fit(CLI::App& app) {
  auto flags = std::make_shared<FitFlags>();
  CLI::App& fit = add_command(app, "fit", "Find the principal components of rows", fit_examples);
  add_list(fit, "DATA", flags->parts, "", data_help("files") + "; several files form one table",
           "Files")
      ->required();
  add_text(fit, "-o,--output", flags->model, "MODEL", "save the model here", "Results");
  add_text(fit, "--scores", flags->scores, "FILE",
           "save the scores of the rows (.csv .tsv .npy, or -)", "Results");
  add_text(fit, "--imputed", flags->imputed, "FILE", "with --missing em: save the imputed rows",
           "Results");
  such_as(add_text(fit, "-k,--components", flags->components, "N|F|NAME",
                   "number of components: a count (10), a fraction of the variance (0.95), all, "
                   "auto (permutation test), gavish-donoho or minka",
                   "Results")
              ->default_str("all; kernels: up to 10"),
          component_values());
  add_switch(fit, "--keep-null", flags->keep_null,
             "directions of zero variance are components too, after the others: relations that all "
             "rows satisfy",
             "Results");
  add_text(fit, "--keep-rows", flags->keep_rows, "N",
           "rows to store in the model for pre-images; kernel models store theirs", "Results");
  add_switch(fit, "--explain", flags->explain,
             "print the method, its memory, passes and flops, and the rejected ones; fit nothing",
             "Results");
  add_text(fit, "--ranks", flags->ranks, "P",
           "with --explain: the memory, traffic and core-seconds of each of P processes of "
           "mercer-mpi",
           "Results");
  add_text(fit, "--network", flags->network, "RATE",
           "with --ranks: rate of each process in bits per second, such as 10gbit", "Results");
  add_switch(fit, "--json", flags->json, "print the model's report, or the plan, as JSON",
             "Results");
  add_switch(fit, "--no-plot", flags->no_plot, "no plot of the scores", "Results");
  add_row_flags(fit, flags->rows, Weights::yes);
  add_variance_flags(fit, flags->variance);
  add_kernel_flag(fit, flags->kernel,
                  "kernel PCA with a kernel or an expression like 'poly(degree=2) + 0.5*linear'");
  add_map_flag(fit, flags->map,
               "PCA of explicit features: a map, or expressions like 'x1^2, log(height)'");
  add_switch(fit, "--precomputed", flags->precomputed, "DATA is a kernel matrix", "Space");
  add_switch(fit, "--clip", flags->clip,
             "accept an invalid kernel: negative eigenvalues count as 0", "Space");
  such_as(add_text(fit, "--approx", flags->approx, "EXPR", "approximate kernel PCA, for many rows",
                   "Space"),
          approx_values());
  add_text(
      fit, "--time", flags->time, "T",
      "kernels: target run time such as 30s or 5min, best effort; slower fits are approximated",
      "Running");
  add_choice(fit, "--solver", flags->solver, "NAME", solver_values(), "eigenvalue solver",
             "Running");
  add_text(fit, "--tolerance", flags->tolerance, "X",
           "largest residual, relative to the first eigenvalue", "Running");
  add_text(fit, "--checkpoint", flags->checkpoint, "DIR",
           "save the result of each pass of a long fit in this folder", "Running");
  add_switch(fit, "--resume", flags->resume, "continue from the checkpoint, bit for bit",
             "Running");
  add_precision_flag(fit, flags->variance.precision, "precision of the rows and of the model");
  add_run_flags(fit, flags->run);
  add_help(fit);
  fit.callback([flags] {
    if (parse_is_float(flags->variance.precision)) fit_rows<float>(*flags);
    else fit_rows<double>(*flags);
  });
}

}  // namespace mercer::cli
