#include "commands/commands.hpp"

#include "commands/contour_points.hpp"
#include "commands/limit_remedies.hpp"
#include "core/output_file.hpp"
#include "flags/file_plan.hpp"
#include "flags/help.hpp"
#include "flags/memory_budget.hpp"
#include "flags/options.hpp"
#include "rows/drawn_rows.hpp"
#include "rows/model_rows.hpp"
#include "rows/reference_rows.hpp"
#include "rows/rows_in_memory.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/progress_bar.hpp"
#include "terminal/terminal.hpp"

#include <mercer/loadings.hpp>
#include <mercer/picture.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <memory>

namespace mercer::cli {

namespace {

constexpr const char* plot_examples =
    "  mercer plot wine.st --kind scree -o scree.svg\n"
    "  mercer plot wine.st wine.csv --kind biplot --ellipses -o biplot.svg\n"
    "  mercer plot wine.st wine.csv --kind scores --components 1,3 -o - | rsvg-convert > pc.png\n"
    "  mercer plot wine.st new.csv --kind t2spe --reference good.csv -o limits.svg\n"
    "  mercer plot trace.csv --kind trace -o run.svg         the trace of mercer learn\n";

/// Rows of so many numbers that are kept: beyond that every other row has to do. A row has its
/// numbers twice while they grow and once more for the picture, its name and label, and its dot.
Index most_rows(Index width, const MemoryBudget& budget) {
  const double room = std::min(budget.share(), 8.0 * (1 << 23) * 3);
  return std::max<Index>(2, static_cast<Index>(room / (24 * static_cast<double>(width) + 480)));
}

struct PlotFlags {
  RowFlags rows;
  RunFlags run;
  std::string model;
  std::string kind;
  std::string output;
  std::string components;
  std::string title;
  std::string width, height;
  std::string level = "0.99";
  std::string reference;
  std::string levels = "9";
  std::string memory;
  bool ellipses = false;
};

constexpr std::string_view kinds[] = {"scree",   "scores", "biplot", "loadings",
                                      "contour", "circle", "t2spe",  "trace"};

std::string listed(const std::vector<std::string_view>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += fmt::format("{}{}", i == 0 ? "" : i + 1 == names.size() ? " and " : ", ", names[i]);
  return out;
}

bool takes_rows(std::string_view kind) {
  return kind == "scores" || kind == "biplot" || kind == "t2spe";
}

/// Can this model be drawn in that way?
template <class T>
bool fits(std::string_view kind, const Model<T>& model) {
  const bool linear = model.map().is_identity(), plane = model.outputs() >= 2;
  if (kind == "scores") return plane;
  if (kind == "biplot") return linear && plane;
  if (kind == "loadings") return linear;
  if (kind == "circle") return linear && plane && loadings(model).correlations.size() > 0;
  if (kind == "contour") return model.inputs() == 2 && model.map().space() != Space::precomputed;
  return kind == "scree" || kind == "t2spe";
}

template <class T>
void require_fit(const Model<T>& model, const PlotFlags& flags) {
  if (fits(flags.kind, model)) return;
  std::vector<std::string_view> fitting;
  for (const std::string_view kind : kinds)
    if (fits(kind, model)) fitting.push_back(kind);
  const char* why =
      flags.kind == "trace"        ? "is a model, not the trace of a run"
      : flags.kind == "contour"    ? "has not two input columns"
      : !model.map().is_identity() ? "is not linear"
      : flags.kind == "circle" && model.outputs() >= 2
          ? "does not know the variances of its columns (fit with --scale std or -k all)"
          : "has only one component";
  fail(Errc::bad_option, "--kind {} does not fit: '{}' {}; kinds that fit it are {}", flags.kind,
       flags.model, why, listed(fitting));
}

std::vector<Index> parse_axes(const std::string& text, Index outputs, const std::string& model) {
  std::vector<Index> out;
  for (std::size_t begin = 0; begin < text.size() || (begin == text.size() && begin > 0);) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    Index number = 0;
    const auto [rest, status] = std::from_chars(text.data() + begin, text.data() + end, number);
    if (status != std::errc{} || rest != text.data() + end || number < 1)
      throw UsageError(fmt::format("--components '{}' is not a list such as 1,3", text));
    require(number <= outputs, Errc::bad_option, "--components {}: '{}' has {} component{}", text,
            model, outputs, outputs == 1 ? "" : "s");
    out.push_back(number - 1);
    if (end == text.size()) break;
    begin = end + 1;
  }
  return out;
}

PlotOptions plot_options(const PlotFlags& flags, Index outputs) {
  PlotOptions options;
  options.title = flags.title;
  if (!flags.width.empty())
    options.width = static_cast<int>(parse_integer("--width", flags.width, 240, 4000));
  if (!flags.height.empty())
    options.height = static_cast<int>(parse_integer("--height", flags.height, 200, 4000));
  options.components = parse_axes(flags.components, outputs, flags.model);
  const bool axes = flags.kind == "scores" || flags.kind == "biplot" || flags.kind == "circle";
  if (axes && !options.components.empty() &&
      (options.components.size() != 2 || options.components[0] == options.components[1]))
    throw UsageError(
        fmt::format("--components '{}' are not two axes for --kind {}: give two, such "
                    "as 1,3",
                    flags.components, flags.kind));
  options.ellipses = flags.ellipses;
  return options;
}

/// Sends every block of the rows through `numbers_of`, a piece at a time.
template <class T, class NumbersOf>
DrawnRows drawn_rows(const Model<T>& model, const PlotFlags& flags, Index width,
                     const NumbersOf& numbers_of) {
  ProgressBar bar(!flags.run.quiet);
  ReadOptions reading = read_options(flags.rows, flags.run, bar.monitor());
  MemoryBudget budget(flags.memory);
  budget.hold(bytes_of(model));
  if (flags.kind == "t2spe") hold_scorer(budget, model, parse_level("--flag", flags.level));
  budget.settle(8 * static_cast<double>(std::max(model.inputs(), width)), reading.threads);
  reading.block_bytes = budget.block_bytes();
  const auto source = open_for(model, flags.model, flags.rows.data, reading);
  DrawnRows drawn(width, most_rows(width, budget));
  const Index piece = std::max<Index>(256, static_cast<Index>(budget.piece_bytes() / 8) / width);
  while (const auto block = source->next())
    for (Index first = 0; first < block->rows.rows(); first += piece) {
      stop_if_interrupted();
      const Index count = std::min(piece, block->rows.rows() - first);
      drawn.add(*block, first, naming(source->name(), [&] {
        return numbers_of(block->rows.middle(first, count), reading);
      }));
    }
  bar.erase();
  require(drawn.count() > 0, Errc::bad_data, "'{}' has no rows", source->name());
  note_dropped(*source, flags.run.quiet);
  return drawn;
}

template <class T>
std::string draw_scores(const Model<T>& model, const PlotFlags& flags, PlotOptions options) {
  const DrawnRows rows =
      drawn_rows(model, flags, model.outputs(), [&](const Rows<T>& x, const ReadOptions& reading) {
        const Matrix<T> y = model.transform(x, {reading.threads, reading.missing});
        return Matrix<double>(y.template cast<double>());
      });
  options.labels = rows.labels();
  options.of_rows = rows.seen();
  const Matrix<T> scores = rows.numbers().template cast<T>();
  return flags.kind == "biplot" ? biplot_svg(model, scores, options)
                                : scores_svg(model, scores, options);
}

template <class T>
std::string draw_t2spe(const Model<T>& model, const PlotFlags& flags, PlotOptions options) {
  const Scorer<T> scorer(model,
                         static_cast<int>(parse_integer("--threads", flags.run.threads, 0, 4096)));
  const bool has_spe = scorer.no_spe().empty();
  const DrawnRows rows =
      drawn_rows(model, flags, has_spe ? 2 : 1, [&](const Rows<T>& x, const ReadOptions& reading) {
        const RowScores block = scorer(x, reading.missing);
        Matrix<double> out(block.t2.size(), has_spe ? 2 : 1);
        out.col(0) = block.t2;
        if (has_spe) out.col(1) = block.spe;
        return out;
      });
  options.of_rows = rows.seen();
  options.names = rows.names();
  RowScores all;
  all.t2 = rows.numbers().col(0);
  if (has_spe) all.spe = rows.numbers().col(1);
  const double level = parse_level("--flag", flags.level);
  ReadOptions reading = read_options(flags.rows, flags.run, {});
  MemoryBudget budget(flags.memory);
  Index good = 0;  // rows of --reference
  ScoreLimits limits;
  if (flags.reference.empty()) {
    limits = scorer.limits(level);
  } else {
    budget.hold(bytes_of(model));
    hold_scorer(budget, model, level);
    budget.settle(8 * static_cast<double>(model.inputs()), reading.threads);
    reading.block_bytes = budget.block_bytes();
    limits = reference_limits(model, scorer, flags.model, flags.reference, reading, level,
                              flags.run.quiet, budget, &good);
  }
  const bool none = !limits.t2 && !limits.spe;
  if ((!limits.t2 || (has_spe && !limits.spe)) && !flags.run.quiet)
    say(fmt::format("the picture has no {}: {}; {}\n",
                    none         ? "limits"
                    : !limits.t2 ? "limit of T2"
                                 : "limit of SPE",
                    !limits.t2 ? limits.t2_from : limits.spe_from,
                    limit_remedies(model, scorer, limits, good)));
  return t2spe_svg(all, limits, options);
}

template <class T>
std::string draw_contour(const Model<T>& model, const PlotFlags& flags,
                         const PlotOptions& options) {
  ContourOptions how;
  how.chosen = options.components;
  how.levels = static_cast<int>(parse_integer("--levels", flags.levels, 1, 100));
  how.threads = static_cast<int>(parse_integer("--threads", flags.run.threads, 0, 4096));
  const Index panels = how.chosen.empty() ? std::min<Index>(8, model.outputs())
                                          : static_cast<Index>(how.chosen.size());
  if (!flags.width.empty())
    how.size =
        std::clamp(options.width / static_cast<int>(std::min<Index>(4, panels)) - 24, 80, 2000);
  if (!flags.rows.data.empty()) read_points(model, flags.model, flags.rows, flags.run, how);
  return contour_svg(model, how);
}

template <class T>
std::string draw(const Model<T>& model, const PlotFlags& flags) {
  require_fit(model, flags);
  const PlotOptions options = plot_options(flags, model.outputs());
  if (takes_rows(flags.kind) && flags.rows.data.empty())
    throw UsageError(
        fmt::format("--kind {} draws rows: name their file after the model", flags.kind));
  if (flags.kind == "scree") return scree_svg(model, options);
  if (flags.kind == "loadings") return loadings_svg(model, options);
  if (flags.kind == "circle") return circle_svg(model, options);
  if (flags.kind == "t2spe") return draw_t2spe(model, flags, options);
  if (flags.kind == "contour") return draw_contour(model, flags, options);
  return draw_scores(model, flags, options);
}

/// The trace that `mercer learn --trace` wrote.
std::string draw_trace(const PlotFlags& flags) {
  ReadOptions reading = read_options(flags.rows, flags.run, {});
  reading.missing = Missing::mean;  // NaN: nothing is drawn there
  const Table<double> table = read<double>(flags.model, reading);
  const std::vector<std::string>& names = table.schema.feature_names;
  const auto begun_with = [&](std::string_view stem) {
    return static_cast<Index>(std::count_if(
        names.begin(), names.end(), [&](const std::string& n) { return n.starts_with(stem); }));
  };
  const Index modes = begun_with("theta_"), neurons = begun_with("span_angle_");
  const bool ode = modes == 0 || begun_with("ode_theta_") > 0;
  require(
      names == trace_columns(modes, neurons, ode), Errc::bad_data,
      "'{}' is not a trace: its columns are not those that mercer learn --trace writes (.csv or "
      ".tsv)",
      flags.model);
  require(table.x.rows() > 0, Errc::bad_data, "'{}' has no rows", flags.model);
  std::vector<TraceRow> trace;
  for (Index i = 0; i < table.x.rows(); ++i)
    trace.push_back(trace_row(table.x.row(i).data(), modes, neurons, ode));
  RunChartOptions options;
  options.title = flags.title;
  if (!flags.width.empty())
    options.size = std::clamp(
        static_cast<int>(parse_integer("--width", flags.width, 240, 4000)) / 2 - 90, 120, 2000);
  return run_svg(trace, options);
}

void run(const PlotFlags& flags) {
  if (std::find(std::begin(kinds), std::end(kinds), flags.kind) == std::end(kinds))
    throw UsageError(fmt::format(
        "--kind '{}' is unknown; use scree, scores, biplot, loadings, contour, circle, t2spe or "
        "trace",
        flags.kind));
  if (!flags.reference.empty() && flags.kind != "t2spe")
    throw UsageError("--reference is for --kind t2spe: limits from these rows");
  if (flags.rows.data == "-" && flags.reference == "-")
    throw UsageError("DATA and --reference cannot both be standard input");
  if (flags.rows.data.empty())
    for (const std::string* flag :
         {&flags.rows.columns, &flags.rows.exclude, &flags.rows.label, &flags.rows.id})
      if (!flag->empty()) throw UsageError("there is no DATA to take columns from");
  FilePlan()
      .reads("MODEL", flags.model)
      .reads("DATA", flags.rows.data)
      .reads("--reference", flags.reference)
      .writes("--output", flags.output, Content::picture)
      .check();
  const bool is_trace = flags.kind == "trace" && !flags.model.ends_with(".st");
  MemoryBudget(flags.memory).load(flags.model);
  const std::string picture =
      is_trace ? draw_trace(flags)
               : std::visit([&](const auto& model) { return draw(model, flags); },
                            load_any(flags.model));
  OutputFile out(flags.output);
  out.write(picture);
  out.finish();
  stop_if_interrupted();
  out.publish();
}

}  // namespace

void add_plot(CLI::App& app) {
  auto flags = std::make_shared<PlotFlags>();
  CLI::App& command =
      add_command(app, "plot", "A picture of a model and its rows, as SVG", plot_examples);
  add_text(command, "MODEL", flags->model, "", "a model; with --kind trace, the trace of a run",
           "Files")
      ->required();
  add_text(command, "DATA", flags->rows.data, "",
           "rows: for scores, biplot and t2spe, and as dots of contour", "Files");
  add_text(command, "--kind", flags->kind, "KIND",
           "scree, scores, biplot, loadings, contour, circle, t2spe or trace", "Results")
      ->required();
  add_text(command, "-o,--output", flags->output, "FILE",
           "the picture (.svg; - for standard output)", "Results")
      ->required();
  add_text(command, "--components", flags->components, "LIST",
           "axes of scores, biplot and circle (1,2); panels of loadings and contour", "Results");
  add_switch(command, "--ellipses", flags->ellipses, "around each label: 95 % of a Gaussian",
             "Results");
  add_text(command, "--flag", flags->level, "LEVEL", "of the limits of t2spe (0.99)", "Results");
  add_text(command, "--reference", flags->reference, "GOOD",
           "limits of t2spe from these rows, which are good and were not in the fit", "Results");
  add_text(command, "--levels", flags->levels, "N", "lines a panel of contour (9)", "Results");
  add_text(command, "--title", flags->title, "TEXT", "above the picture", "Results");
  add_text(command, "--width", flags->width, "N", "in pixels (640)", "Results");
  add_text(command, "--height", flags->height, "N", "in pixels (480)", "Results");
  add_row_flags(command, flags->rows, Weights::no);
  add_memory_flag(command, flags->memory);
  add_run_flags(command, flags->run);
  add_help(command);
  command.callback([flags] { run(*flags); });
}

}  // namespace mercer::cli
