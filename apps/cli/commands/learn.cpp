#include "commands/commands.hpp"

#include "commands/learn_compare.hpp"
#include "commands/learn_report.hpp"
#include "commands/learn_start.hpp"
#include "commands/learn_trace.hpp"
#include "core/json_text.hpp"
#include "core/output_file.hpp"
#include "core/require.hpp"
#include "flags/file_plan.hpp"
#include "flags/help.hpp"
#include "flags/memory_budget.hpp"
#include "flags/options.hpp"
#include "maps/from_text.hpp"
#include "rows/rows_in_memory.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/learn_chart.hpp"
#include "terminal/progress_bar.hpp"
#include "terminal/summary.hpp"

#include <mercer/learn.hpp>
#include <mercer/picture.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
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

struct LearnFlags {
  RowFlags rows;
  RunFlags run;
  std::string rule = "gha", components = "1", rate = "auto", batch = "1", epochs, order = "auto";
  std::string mean = "running", forget, limit, scale = "none", memory, until, until_angle;
  std::string start, compare, ddof;
  std::string kernel, map, landmarks;
  std::string model, model_every, trace, trace_every, plot, checkpoint, checkpoint_every;
  bool theory = false, theorem = false, trace_weights = false, resume = false, explain_rate = false,
       json = false, no_plot = false;
};

std::int64_t steps(const char* option, const std::string& text) {
  return text.empty() ? 0
                      : parse_integer(option, text, 1, std::numeric_limits<std::int64_t>::max());
}

struct OrderName {
  const char* name;
  Order order;
};
constexpr OrderName orders[] = {
    {"auto", Order::automatic}, {"as-it-comes", Order::as_it_comes}, {"shuffled", Order::shuffled}};

std::vector<OptionValue> order_values() {
  std::vector<OptionValue> values;
  for (const OrderName& row : orders) values.push_back({row.name, ""});
  return values;
}

Order parse_order(const std::string& text) {
  for (const OrderName& row : orders)
    if (row.name == text) return row.order;
  refuse_value("--order", text, order_values());
}

/// `0.5deg`, `0.5`.
double parse_angle(const char* option, std::string text) {
  const std::string all = text;
  for (const char* unit : {"degrees", "deg", "°"})
    if (text.ends_with(unit)) text.resize(text.size() - std::string(unit).size());
  while (text.ends_with(' ')) text.pop_back();
  try {
    const double degrees = parse_positive(option, text);
    if (degrees < 90) return degrees;
  } catch (const UsageError&) {
  }
  throw UsageError(
      fmt::format("{} '{}' is not an angle between 0 and 90 degrees, such as 0.5deg", option, all));
}

void set_mean(const std::string& text, LearnerOptions& learner) {
  if (text == "running") return;
  if (text == "none") {
    learner.centre = LearnedMean::none;
    return;
  }
  if (access(text.c_str(), F_OK) != 0)
    throw UsageError(fmt::format("--mean '{}' is neither running, nor none, nor a file", text));
  const Table<double> table = read<double>(text);
  require(!table.schema.sparse && table.x.rows() == 1, Errc::bad_data,
          "--mean '{}' has {} rows; the mean is one row, with one number per column", text,
          table.rows().rows());
  learner.centre = LearnedMean::known;
  learner.mean = table.x.row(0).transpose();
}

LearnOptions learn_options(const LearnFlags& flags, const Monitor& monitor) {
  constexpr auto largest = std::numeric_limits<std::int64_t>::max();
  LearnOptions o;
  LearnerOptions& l = o.learner;
  l.rule = flags.rule;
  l.components = parse_integer("--components", flags.components, 1, largest);
  l.rate = Rate::parse(flags.rate);
  l.batch = parse_integer("--batch", flags.batch, 1, largest);
  set_mean(flags.mean, l);
  if (!flags.forget.empty()) l.forgetting = parse_positive("--forget", flags.forget);
  if (!flags.limit.empty()) l.limit = parse_positive("--limit", flags.limit);
  l.seed = static_cast<std::uint64_t>(parse_integer("--seed", flags.run.seed, 0, largest));
  l.threads = static_cast<int>(parse_integer("--threads", flags.run.threads, 0, 4096));
  if (!flags.kernel.empty() && !flags.map.empty())
    throw UsageError("--kernel and --map are mutually exclusive");
  if (!flags.kernel.empty()) o.kernel = Kernel::parse(flags.kernel);
  if (!flags.landmarks.empty()) {
    if (flags.kernel.empty()) throw UsageError("--landmarks requires --kernel");
    o.landmarks = parse_integer("--landmarks", flags.landmarks, 1, largest);
  }
  if (!flags.epochs.empty())
    o.epochs = static_cast<int>(parse_integer("--epochs", flags.epochs, 1, 1'000'000'000));
  o.order = parse_order(flags.order);
  o.scale = parse_scale(flags.scale);
  if (!flags.until.empty()) o.until = parse_angle("--until", flags.until);
  if (!flags.until_angle.empty()) o.until_angle = parse_angle("--until-angle", flags.until_angle);
  if (!flags.ddof.empty()) o.ddof = static_cast<int>(parse_integer("--ddof", flags.ddof, 0, 1));
  set_start(flags.start, l);
  o.theorem = flags.theorem;
  o.trace_weights = flags.trace_weights;
  if (flags.trace_weights && flags.trace.empty())
    throw UsageError("--trace-weights requires --trace FILE");
  o.memory = memory_of(flags.memory);
  o.theory = flags.theory;
  o.trace_every = steps("--trace-every", flags.trace_every);
  o.checkpoint = flags.checkpoint;
  o.checkpoint_every = steps("--checkpoint-every", flags.checkpoint_every);
  o.model_every = steps("--model-every", flags.model_every);
  o.resume = flags.resume;
  if (flags.resume && flags.checkpoint.empty())
    throw UsageError("--resume requires --checkpoint FILE");
  if (o.checkpoint_every > 0 && flags.checkpoint.empty())
    throw UsageError("--checkpoint-every needs --checkpoint FILE");
  if (o.model_every > 0 && (flags.model.empty() || flags.model == "-"))
    throw UsageError("--model-every needs -o MODEL, a file");
  o.monitor = monitor;
  return o;
}

/// --compare has no model, and no run that could be continued.
void check_compare(const LearnFlags& flags) {
  if (flags.compare.empty()) return;
  two_rules(flags.compare);
  const std::pair<const char*, bool> others[] = {{"--output", !flags.model.empty()},
                                                 {"--plot", !flags.plot.empty()},
                                                 {"--checkpoint", !flags.checkpoint.empty()},
                                                 {"--theory", flags.theory},
                                                 {"--theorem", flags.theorem},
                                                 {"--trace-weights", flags.trace_weights},
                                                 {"--until", !flags.until.empty()},
                                                 {"--until-angle", !flags.until_angle.empty()}};
  for (const auto& [option, given] : others)
    if (given) throw UsageError(fmt::format("--compare and {} are mutually exclusive", option));
}

/// Says before the work what could only fail after it.
void check_outputs(const LearnFlags& flags) {
  if (flags.checkpoint == "-") throw UsageError("--checkpoint must be a file");
  FilePlan plan;
  plan.reads("DATA", flags.rows.data)
      .writes("--output", flags.model, Content::model)
      .writes("--trace", flags.trace, Content::rows)
      .writes("--plot", flags.plot, Content::picture)
      .writes("--checkpoint", flags.checkpoint, Content::checkpoint)
      .prints_json(flags.json);
  if (flags.mean != "running" && flags.mean != "none") plan.reads("--mean", flags.mean);
  if (start_is_file(flags.start)) plan.reads("--start", flags.start);
  if (!flags.checkpoint.empty()) {  // what goes on from a checkpoint keeps more beside its files
    for (const char* end : {".previous", ".previous.new"})
      plan.writes("--checkpoint", flags.checkpoint + end, Content::checkpoint);
    if (!flags.trace.empty()) plan.writes("--trace", flags.trace + ".partial", Content::checkpoint);
  }
  plan.check();
}

/// Whether Ση < ∞.
bool finite_sum(const RobbinsMonro& theory) {
  for (const RobbinsMonro::Condition& c : theory.conditions)
    if (c.text == "Ση = ∞") return !c.holds;
  return false;
}

/// Forgetting keeps a rate above min(f/λ₁, ½/max(E‖x‖², ‖x‖²)) for any schedule.
RobbinsMonro conditions_of(const Rate& rate, double forgetting) {
  RobbinsMonro theory = rate.conditions();
  if (forgetting <= 0) return theory;
  for (RobbinsMonro::Condition& c : theory.conditions) {
    c.holds = c.text == "Ση = ∞";
    c.why = fmt::format("--forget {} keeps it {}", forgetting,
                        c.holds ? "above a positive number" : "from falling to 0");
  }
  return theory;
}

void explain(const Rate& rate, double forgetting, bool json) {
  const RobbinsMonro theory = conditions_of(rate, forgetting);
  if (json) {
    Json conditions = Json::array();
    for (const RobbinsMonro::Condition& c : theory.conditions)
      conditions.push_back({{"condition", c.text}, {"holds", c.holds}, {"why", c.why}});
    return print(json_text(Json{{"rate", rate.text()},
                                {"forgetting", forgetting},
                                {"robbins_monro", theory.every()},
                                {"conditions", std::move(conditions)}},
                           2) +
                 "\n");
  }
  std::string text = fmt::format("rate {}", rate.text()) +
                     (forgetting > 0 ? fmt::format(", --forget {}\n", forgetting) : "\n");
  for (const RobbinsMonro::Condition& c : theory.conditions)
    text += fmt::format("  {}  {}: {}\n", c.holds ? "yes" : "no ", c.text, c.why);
  text +=
      theory.every()
          ? "a Robbins-Monro schedule: the run converges under the conditions of the theory\n"
      : finite_sum(theory)
          ? "not a Robbins-Monro schedule: all steps together have a finite length, and the run "
            "stops wherever they end, near the solution or not\n"
          : "not a Robbins-Monro schedule: the run approaches the solution without converging "
            "to it\n";
  print(text);
}

/// Why a run ended. Weights that rotate by less than --until may still be moving.
std::string_view stop_name(const Learned& learned) {
  switch (learned.stop) {
    case LearnStop::converged:
      return "converged";
    case LearnStop::not_moving:
      return learned.convergence.state == LearnState::moving ? "until" : "not moving";
    case LearnStop::interrupted:
      return "interrupted";
    case LearnStop::angle:
      return "angle";
    case LearnStop::end:
      break;
  }
  return "end";
}

std::string stop_text(const Learned& learned) {
  const std::string_view name = stop_name(learned);
  if (name == "end") return "all rows learned";
  if (name == "interrupted") return "interrupted";
  if (name == "angle") return "stopped: within --until-angle of the exact components";
  return fmt::format("stopped: {}", name == "until" ? "rotation within --until" : name);
}

std::string json_of(const Learned& learned, const LearnFlags& flags) {
  Json out = Json::parse(to_json(learned.model));
  const Convergence& c = learned.convergence;
  Json learning = {{"rule", flags.rule},
                   {"rate", Rate::parse(flags.rate).text()},
                   {"rows", learned.rows},
                   {"skipped", learned.skipped},
                   {"steps", learned.steps},
                   {"epochs", learned.epochs},
                   {"time", learned.time},
                   {"order", learned.shuffled ? "shuffled" : "as-it-comes"},
                   {"stop", stop_name(learned)},
                   {"convergence",
                    {{"state", name_of(c.state)},
                     {"converged", c.converged},
                     {"angle", c.angle},
                     {"angle_change", c.angle_change},
                     {"norm_error", c.norm_error},
                     {"correlation", c.correlation},
                     {"variance_error", c.variance_error},
                     {"text", c.text}}},
                   {"theory", nullptr}};
  if (learned.theory) {
    const TheoryReport& t = *learned.theory;
    const auto list = [](const Vector<double>& v) {
      return std::vector<double>(v.data(), v.data() + v.size());
    };
    learning["theory"] = {{"eigenvalues", list(t.eigenvalues)},
                          {"angles", list(t.angles)},
                          {"mean_gap", t.mean_gap},
                          {"last_gap", t.last_gap}};
  }
  learning["prediction"] =
      learned.prediction ? prediction_json(*learned.prediction, learned.reached) : Json(nullptr);
  learning["theorem"] = learned.theorem ? theorem_json(*learned.theorem) : Json(nullptr);
  out["learning"] = learning;
  return json_text(out, 2) + "\n";
}

/// ", up to sign: 2 of 3 neurons have the opposite sign"; empty where none has.
std::string opposite_signs(const TheoryReport& theory, const std::vector<TraceRow>& trace) {
  if (trace.empty()) return {};
  const std::vector<TraceRow::Mode>& modes = trace.back().modes;
  const std::size_t neurons =
      std::min(modes.size(), static_cast<std::size_t>(theory.angles.size()));
  const auto count =
      std::count_if(modes.begin(), modes.begin() + static_cast<std::ptrdiff_t>(neurons),
                    [](const TraceRow::Mode& m) { return m.theta * m.ode_theta < 0; });
  if (count == 0) return {};
  return fmt::format(", up to sign: {} of {} neuron{} ha{} the opposite sign", count, neurons,
                     neurons == 1 ? "" : "s", count == 1 ? "s" : "ve");
}

std::string theory_lines(const TheoryReport& theory, const std::vector<TraceRow>& trace) {
  std::string angles;
  const Index shown_angles = std::min<Index>(theory.angles.size(), 8);
  for (Index j = 0; j < shown_angles; ++j)
    angles += fmt::format("{}{:.3g}", j == 0 ? "" : ", ", theory.angles[j]);
  std::string text = fmt::format("theory  {}{} degree{} from the exact component{}\n", angles,
                                 shown_angles < theory.angles.size() ? ", ..." : "",
                                 angles == "1" ? "" : "s", theory.angles.size() == 1 ? "" : "s");
  if (std::isfinite(theory.mean_gap))
    text += fmt::format("        distance from the ODE: mean {:.3g}, final {:.3g}{}\n",
                        theory.mean_gap, theory.last_gap, opposite_signs(theory, trace));
  return text;
}

void show(const Learned& learned, const LearnFlags& flags, const Source<double>& source) {
  const bool data_on_stdout = flags.model == "-" || flags.trace == "-" || flags.plot == "-";
  const Terminal out = terminal(data_on_stdout ? STDERR_FILENO : STDOUT_FILENO);
  const Summary summary = summarize(learned.model);
  std::string text =
      out.bold(shown(source.name(), 60, out.unicode)) + "  " + shape_line(summary, out) + "\n";
  if (learned.model.report().ddof == 1 && !flags.ddof.empty())
    text.insert(text.size() - 1, ", variances over N-1");
  if (const Index n = source.dropped_rows() + static_cast<Index>(learned.skipped); n > 0)
    text += fmt::format("{} row{} with missing values dropped\n", n, n == 1 ? "" : "s");
  text += out.dim(fmt::format("{}; {} epoch{}, {}; {}", solver_line(summary, out), learned.epochs,
                              learned.epochs == 1 ? "" : "s",
                              learned.shuffled ? "shuffled" : "in order", stop_text(learned))) +
          "\n\n" + component_table(summary, out) + "\n" + loading_lines(summary, out) + "\n";
  text += learned.convergence.text + "\n" + certificate_line(summary);
  if (learned.theory) {
    text += theory_lines(*learned.theory, learned.trace);
    if (!flags.no_plot) text += "\n" + run_charts(learned.trace, out);
  }
  if (learned.theorem) text += "\n" + theorem_lines(*learned.theorem);
  if (learned.prediction)
    text += prediction_lines(*learned.prediction, learned.steps, learned.reached);
  const auto where = [&](const char* what, const std::string& path) {
    if (!path.empty() && path != "-") text += fmt::format("{:<11} {}\n", what, path);
  };
  text += "\n";
  where("model", flags.model);
  where("trace", flags.trace);
  where("plot", flags.plot);
  where("checkpoint", flags.checkpoint);
  while (text.ends_with("\n\n")) text.pop_back();
  if (data_on_stdout) say(text);
  else print(text);
}

std::shared_ptr<const Map<double>> map_of(const LearnFlags& flags, const Schema& schema) {
  if (flags.map.empty()) return nullptr;
  return map_from_text<double>(flags.map, schema.features, schema.feature_names);
}

void learn_rows(const LearnFlags& flags) {
  if (flags.explain_rate) {
    const double forgetting = flags.forget.empty() ? 0 : parse_positive("--forget", flags.forget);
    if (forgetting >= 1) throw UsageError(fmt::format("--forget {} must be below 1", forgetting));
    return explain(Rate::parse(flags.rate), forgetting, flags.json);
  }
  if (flags.rows.data.empty()) throw UsageError("DATA is missing");
  ProgressBar bar(!flags.run.quiet);
  LearnOptions options = learn_options(flags, bar.monitor());
  // Reading happens throughout: it only checks whether to stop, and leaves the bar to learning.
  ReadOptions reading = read_options(
      flags.rows, flags.run, [](const Progress&) { return !interrupted(); }, options.memory);
  if (keeps_holes(reading.missing))
    throw UsageError(fmt::format("--missing {} is not supported by learn: use error or drop",
                                 flags.rows.missing));
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
  if (!flags.run.quiet && !flags.json) show(learned, flags, *source);
  if (flags.json) print(json_of(learned, flags));
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
  add_row_flags(c, f.rows, Weights::yes);
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
