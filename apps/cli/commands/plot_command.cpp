#include "commands/commands.hpp"

#include "commands/contour_points.hpp"
#include "commands/limit_remedies.hpp"
#include "commands/plot_figures.hpp"
#include "commands/plot_flags.hpp"
#include "core/output_file.hpp"
#include "flags/help.hpp"
#include "rows/reference_rows.hpp"
#include "terminal/terminal.hpp"

#include <mercer/figures.hpp>
#include <mercer/loadings.hpp>
#include <mercer/picture.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <memory>
#include <span>
#include <type_traits>

namespace mercer::cli {

namespace {

constexpr const char* plot_examples =
    "  mercer plot wine.st --kind scree -o scree.svg\n"
    "  mercer plot wine.st wine.csv --kind biplot --ellipses -o biplot.svg\n"
    "  mercer plot wine.st wine.csv --kind scores --components 1,3 -o - | rsvg-convert > pc.png\n"
    "  mercer plot wine.st new.csv --kind t2spe --reference good.csv -o limits.svg\n"
    "  mercer plot trace.csv --kind trace -o run.svg         the trace of mercer learn\n"
    "  mercer plot conic.st ellipse.csv --kind lift -o lift.svg  a model of three features\n";

/// What decides whether a model can be drawn.
struct PlotFacts {
  bool linear, plane, two_columns, correlations;
  bool three_dimensions;  ///< three features, or three components of more
  bool kernel;
};

template <class T>
bool three_dimensions(const Model<T>& model) {
  const Space space = model.map().space();
  const Index features = model.map().features();
  if (space == Space::input) return features == 3 && model.outputs() >= 2;
  return space == Space::features && features >= 3 && model.outputs() >= (features == 3 ? 2 : 3);
}

template <class T>
PlotFacts facts_of(const Model<T>& model) {
  const bool linear = model.map().is_identity();
  // Not by `loadings`, which are several times as large as the model.
  const bool known = model.column_variance().size() == model.inputs() || model.scale().size() > 0 ||
                     model.outputs() == model.inputs();
  return {linear,
          model.outputs() >= 2,
          model.inputs() == 2 && model.map().space() != Space::precomputed,
          linear && known,
          three_dimensions(model),
          !model.map().kernel().empty() && model.map().space() != Space::precomputed};
}

template <class T>
using Draw = std::string (*)(const Model<T>&, const PlotFlags&, const PlotOptions&);

using DrawTrace = std::string (*)(const std::vector<TraceRow>&, const PlotFlags&,
                                  const PlotOptions&);

struct PlotRow {
  const char* name;
  const char* shows;
  const char* takes;
  bool rows;                                 ///< draws the rows of DATA
  bool axes;                                 ///< --components are two axes
  const char* (*refusal)(const PlotFacts&);  ///< why a model cannot be drawn; null: it can
  Draw<double> draw_double;                  ///< null: not a model
  Draw<float> draw_float;
  DrawTrace draw_trace = nullptr;  ///< for traces
  int width = 640, height = 480;   ///< by default
};

std::span<const PlotRow> plot_rows();

const PlotRow& plot_row(std::string_view kind) {
  return *std::ranges::find(plot_rows(), kind, &PlotRow::name);
}

std::vector<OptionValue> kind_values() {
  std::vector<OptionValue> values;
  for (const PlotRow& row : plot_rows())
    values.push_back({row.name, fmt::format("{}; takes {}", row.shows, row.takes)});
  return values;
}

std::string kinds_that_draw_rows() {
  std::vector<OptionValue> values;
  for (const PlotRow& row : plot_rows())
    if (row.rows) values.push_back({row.name, ""});
  return listed(values, " and ");
}

template <class T>
void require_fit(const Model<T>& model, const PlotFlags& flags) {
  const PlotFacts facts = facts_of(model);
  const char* why = plot_row(flags.kind).refusal(facts);
  if (!why) return;
  std::vector<OptionValue> fitting;
  for (const PlotRow& row : plot_rows())
    if (!row.refusal(facts)) fitting.push_back({row.name, ""});
  fail(Errc::bad_option, "--kind {} does not fit: '{}' {}; kinds that fit it are {}", flags.kind,
       flags.model, why, listed(fitting, " and "));
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
  options.width = plot_row(flags.kind).width;
  options.height = plot_row(flags.kind).height;
  if (!flags.width.empty())
    options.width = static_cast<int>(parse_integer("--width", flags.width, 240, 4000));
  if (!flags.height.empty())
    options.height = static_cast<int>(parse_integer("--height", flags.height, 200, 4000));
  options.components = parse_axes(flags.components, outputs, flags.model);
  if (plot_row(flags.kind).axes && !options.components.empty() &&
      (options.components.size() != 2 || options.components[0] == options.components[1]))
    throw UsageError(
        fmt::format("--components '{}' are not two axes for --kind {}: give two, such "
                    "as 1,3",
                    flags.components, flags.kind));
  options.ellipses = flags.ellipses;
  return options;
}

template <class T>
std::string draw_scree(const Model<T>& model, const PlotFlags&, const PlotOptions& options) {
  return scree_svg(model, options);
}

template <class T>
std::string draw_loadings(const Model<T>& model, const PlotFlags&, const PlotOptions& options) {
  return loadings_svg(model, options);
}

template <class T>
std::string draw_circle(const Model<T>& model, const PlotFlags&, const PlotOptions& options) {
  return circle_svg(model, options);
}

/// The scores of the rows, and `options` with what is known of these.
template <class T>
Matrix<T> drawn_scores(const Model<T>& model, const PlotFlags& flags, PlotOptions& options) {
  const DrawnRows rows =
      drawn_rows(model, flags, model.outputs(), [&](const Rows<T>& x, const ReadOptions& reading) {
        const Matrix<T> y = model.transform(x, {reading.threads, reading.missing});
        return Matrix<double>(y.template cast<double>());
      });
  options.labels = rows.labels();
  options.of_rows = rows.seen();
  return rows.numbers().template cast<T>();
}

template <class T>
std::string draw_scores(const Model<T>& model, const PlotFlags& flags, const PlotOptions& asked) {
  PlotOptions options = asked;
  const Matrix<T> scores = drawn_scores(model, flags, options);
  return scores_svg(model, scores, options);
}

template <class T>
std::string draw_biplot(const Model<T>& model, const PlotFlags& flags, const PlotOptions& asked) {
  PlotOptions options = asked;
  const Matrix<T> scores = drawn_scores(model, flags, options);
  return biplot_svg(model, scores, options);
}

template <class T>
std::string draw_t2spe(const Model<T>& model, const PlotFlags& flags, const PlotOptions& asked) {
  PlotOptions options = asked;
  const Scorer<T> scorer(
      model, {.threads = static_cast<int>(parse_integer("--threads", flags.run.threads, 0, 4096))});
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
  Index good = 0;  // rows of --reference
  ScoreLimits limits;
  if (flags.reference.empty()) {
    limits = scorer.limits(level);
  } else {
    const MemoryBudget budget = settled(size_of(model), flags, reading.threads);
    reading.block_bytes = budget.block_bytes();
    limits = reference_limits(model, scorer, flags.model, flags.reference, reading, level,
                              flags.run.quiet, budget, &good);
  }
  const bool none = !limits.t2 && !limits.spe;
  if ((!limits.t2 || (has_spe && !limits.spe)) && !flags.run.quiet)
    say(fmt::format("the plot has no {}: {}; {}\n",
                    none         ? "limits"
                    : !limits.t2 ? "T2 limit"
                                 : "SPE limit",
                    !limits.t2 ? limits.t2_from : limits.spe_from,
                    limit_remedies(model, scorer, limits, good)));
  return t2spe_svg(all, limits, options);
}

ContourOptions contour_options(const PlotFlags& flags, const PlotOptions& options, Index outputs) {
  ContourOptions how;
  how.chosen = options.components;
  how.levels = static_cast<int>(parse_integer("--levels", flags.levels, 1, 100));
  how.threads = static_cast<int>(parse_integer("--threads", flags.run.threads, 0, 4096));
  const Index panels =
      how.chosen.empty() ? std::min<Index>(8, outputs) : static_cast<Index>(how.chosen.size());
  if (!flags.width.empty())
    how.size =
        std::clamp(options.width / static_cast<int>(std::min<Index>(4, panels)) - 24, 80, 2000);
  return how;
}

template <class T>
std::string draw_contour(const Model<T>& model, const PlotFlags& flags,
                         const PlotOptions& options) {
  ContourOptions how = contour_options(flags, options, model.outputs());
  const MemoryBudget budget = settled(size_of(model), flags, how.threads);
  if (!flags.rows.data.empty()) read_points(model, flags.model, flags.rows, flags.run, budget, how);
  return contour_svg(model, how);
}

}  // namespace

MemoryBudget settled(const ModelSize& model, const PlotFlags& flags, int& threads) {
  MemoryBudget budget(flags.memory);
  budget.hold_model(model);
  const std::string& kind = flags.kind;
  if (kind == "t2spe") hold_scorer(budget, model, parse_level("--flag", flags.level));
  // Loadings, contributions, correlations and their squares.
  if (kind == "loadings" || kind == "biplot" || kind == "circle")
    budget.hold(5 * 8 * model.components());
  if (kind == "contour") {
    const auto outputs = static_cast<Index>(model.outputs);
    hold_contour(budget, model, contour_options(flags, plot_options(flags, outputs), outputs));
  }
  if (kind == "kernel") budget.hold(4.0 * 8 * 384 * 384);        // a heat map's matrices
  if (kind == "images" || kind == "lift") budget.hold(4 << 20);  // text of the cells and dots
  budget.settle(8 * std::max(model.inputs, model.outputs), threads);
  return budget;
}

namespace {

const char* any_model(const PlotFacts&) { return nullptr; }
const char* a_plane(const PlotFacts& f) { return f.plane ? nullptr : "has only one component"; }
const char* a_linear_model(const PlotFacts& f) { return f.linear ? nullptr : "is not linear"; }
const char* a_linear_plane(const PlotFacts& f) { return f.linear ? a_plane(f) : a_linear_model(f); }
const char* known_variances(const PlotFacts& f) {
  const char* why = a_linear_plane(f);
  if (why || f.correlations) return why;
  return "does not contain the variances of its columns (fit with --scale std or -k all)";
}
const char* two_columns(const PlotFacts& f) {
  return f.two_columns ? nullptr : "does not have two input columns";
}
const char* linear_of_two(const PlotFacts& f) {
  return f.linear ? two_columns(f) : a_linear_model(f);
}
const char* two_directions(const PlotFacts& f) {
  if (!f.linear) return a_linear_model(f);
  return f.plane || f.two_columns ? nullptr : "has only one component";
}
const char* three_features(const PlotFacts& f) {
  return f.three_dimensions
             ? nullptr
             : "does not have three features and two components (fit two columns with "
               "a map such as --map 'monomials(degree=2)', or three columns)";
}
const char* a_kernel_model(const PlotFacts& f) {
  return f.kernel ? nullptr : "is not a model of a kernel (fit with --kernel)";
}
const char* no_model(const PlotFacts&) { return "is a model, not the trace of a run"; }

std::string draw_run(const std::vector<TraceRow>& trace, const PlotFlags& flags,
                     const PlotOptions& asked) {
  RunChartOptions options;
  options.title = flags.title;
  if (!flags.width.empty()) options.size = std::clamp(asked.width / 2 - 90, 120, 2000);
  return run_svg(trace, options);
}

std::string draw_weights(const std::vector<TraceRow>& trace, const PlotFlags& flags,
                         const PlotOptions& options) {
  return naming(flags.model, [&] { return weights_svg(trace, options); });
}

std::string draw_alpha(const std::vector<TraceRow>& trace, const PlotFlags& flags,
                       const PlotOptions& options) {
  return naming(flags.model, [&] { return alpha_svg(trace, options); });
}

// A new kind adds its row here.
constexpr PlotRow plot_table[] = {
    {"scree", "explained variance per component and its running sum", "any model", false, false,
     any_model, draw_scree, draw_scree},
    {"scores", "rows by two components, coloured by label",
     "a model of two or more components, DATA", true, true, a_plane, draw_scores, draw_scores},
    {"biplot", "rows as in scores, columns as arrows", "a linear model, DATA", true, true,
     a_linear_plane, draw_biplot, draw_biplot},
    {"loadings", "bars of the loadings, one panel per component", "a linear model", false, false,
     a_linear_model, draw_loadings, draw_loadings},
    {"contour", "contour lines of the components, as the command contour",
     "a model of two columns; DATA is drawn as dots", false, false, two_columns, draw_contour,
     draw_contour},
    {"circle", "correlations of the columns with two components",
     "a linear model with the variances of the columns", false, true, known_variances, draw_circle,
     draw_circle},
    {"t2spe", "rows by T2 and SPE with the limits of score; without SPE, T2 by row",
     "any model, DATA", true, false, any_model, draw_t2spe, draw_t2spe},
    {"axes", "rows with the axes mean \u00b1 \u221a\u03bb q", "a linear model of two columns, DATA",
     true, false, linear_of_two, draw_axes, draw_axes},
    {"probe", "variance along a direction over its angle, largest and smallest at eigenvectors",
     "a linear model", false, true, two_directions, draw_probe, draw_probe},
    {"lift", "rows in three dimensions with the plane of two components",
     "a model of three features or columns, DATA", true, false, three_features, draw_lift,
     draw_lift, nullptr, 820, 430},
    {"kernel", "the kernel over distance, and its matrix as a heat map with rows sorted by label",
     "a kernel model, DATA", true, false, a_kernel_model, draw_kernel, draw_kernel, nullptr, 820,
     430},
    {"images", "the mean and components as images", "a linear model", false, false, a_linear_model,
     draw_images, draw_images, nullptr, 640, 640},
    {"trace", "a learning run and its theory", "the file of learn --trace instead of a model",
     false, false, no_model, nullptr, nullptr, draw_run},
    {"weights", "path of the weights, with stable points, saddles and basins",
     "the file of learn --trace --theory", false, false, no_model, nullptr, nullptr, draw_weights},
    {"alpha", "decay of the other modes, with its exponentials",
     "the file of learn --trace --theory", false, false, no_model, nullptr, nullptr, draw_alpha},
};

std::span<const PlotRow> plot_rows() { return plot_table; }

template <class T>
std::string draw(const Model<T>& model, const PlotFlags& flags) {
  require_fit(model, flags);
  const PlotRow& row = plot_row(flags.kind);
  const PlotOptions options = plot_options(flags, model.outputs());
  if (row.rows && flags.rows.data.empty())
    throw UsageError(fmt::format("--kind {} draws rows: give DATA after the model", flags.kind));
  if constexpr (std::is_same_v<T, float>) return row.draw_float(model, flags, options);
  else return row.draw_double(model, flags, options);
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
  // w1_1, w1_2, … of each neuron
  const Index per_neuron = begun_with("w1_");
  const Index weight_rows =
      per_neuron == 0
          ? 0
          : static_cast<Index>(std::count_if(names.begin(), names.end(), [](const std::string& n) {
              return n.starts_with("w") && n.ends_with("_1");
            }));
  require(
      names == trace_columns(modes, neurons, ode, weight_rows, per_neuron), Errc::bad_data,
      "'{}' is not a trace: its columns are not those that mercer learn --trace writes (.csv or "
      ".tsv)",
      flags.model);
  require(table.x.rows() > 0, Errc::bad_data, "'{}' has no rows", flags.model);
  std::vector<TraceRow> trace;
  for (Index i = 0; i < table.x.rows(); ++i)
    trace.push_back(trace_row(table.x.row(i).data(), modes, neurons, ode, weight_rows, per_neuron));
  return plot_row(flags.kind).draw_trace(trace, flags, plot_options(flags, 0));
}

void run(const PlotFlags& flags) {
  if (!flags.reference.empty() && flags.kind != "t2spe")
    throw UsageError("--reference requires --kind t2spe");
  if (flags.rows.data == "-" && flags.reference == "-")
    throw UsageError("DATA and --reference cannot both be standard input");
  if (flags.rows.data.empty())
    for (const std::string* flag :
         {&flags.rows.columns, &flags.rows.exclude, &flags.rows.label, &flags.rows.id})
      if (!flag->empty()) throw UsageError("options for columns require DATA");
  FilePlan()
      .reads("MODEL", flags.model)
      .reads("DATA", flags.rows.data)
      .reads("--reference", flags.reference)
      .writes("--output", flags.output, Content::picture)
      .check();
  if (!flags.image_width.empty() && flags.kind != "images")
    throw UsageError("--image-width requires --kind images");
  if (flags.center && flags.kind != "kernel") throw UsageError("--center requires --kind kernel");
  const bool is_trace = plot_row(flags.kind).draw_trace && !flags.model.ends_with(".st");
  if (const auto size = flags.memory.empty() ? std::nullopt : size_of_file(flags.model)) {
    int threads = 1;
    settled(*size, flags, threads);
  }
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
  CLI::App& command = add_command(app, "plot", "Plot a model and its rows as SVG", plot_examples);
  add_text(command, "MODEL", flags->model, "",
           "a model; with --kind trace, weights or alpha, the trace of a run", "Files")
      ->required();
  add_text(command, "DATA", flags->rows.data, "",
           fmt::format("rows; needed for {}", kinds_that_draw_rows()), "Files");
  add_choice(command, "--kind", flags->kind, "KIND", kind_values(), "what to draw", "Results")
      ->required();
  add_text(command, "-o,--output", flags->output, "FILE", "the plot (.svg; - for standard output)",
           "Results")
      ->required();
  add_text(command, "--components", flags->components, "LIST",
           "two axes, or the panels of loadings, contour and images", "Results")
      ->default_str(
          "1,2; loadings: the first three; contour: the first eight; images: the first 15");
  add_switch(command, "--ellipses", flags->ellipses,
             "draw an ellipse around each label: 95 % of a Gaussian", "Results");
  add_text(command, "--flag", flags->level, "LEVEL", "confidence level of the limits of t2spe",
           "Results");
  add_text(command, "--reference", flags->reference, "GOOD",
           "t2spe: estimate the limits from these rows, known to be good and not in the fit",
           "Results")
      ->default_str("limits from the model");
  add_switch(command, "--center", flags->center, "kernel: the centred matrix JKJ", "Results");
  add_text(command, "--image-width", flags->image_width, "N", "images: pixels per line", "Results")
      ->default_str("square images");
  add_text(command, "--levels", flags->levels, "N", "lines per panel of contour", "Results");
  add_text(command, "--title", flags->title, "TEXT", "title of the plot", "Results");
  add_text(command, "--width", flags->width, "N", "width in pixels", "Results")
      ->default_str("640; lift and kernel: 820");
  add_text(command, "--height", flags->height, "N", "height in pixels", "Results")
      ->default_str("480; lift and kernel: 430; images: 640");
  add_row_flags(command, flags->rows, Weights::no);
  add_memory_flag(command, flags->memory);
  add_run_flags(command, flags->run);
  add_help(command);
  command.callback([flags] { run(*flags); });
}

}  // namespace mercer::cli
