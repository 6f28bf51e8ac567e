#include "flags/options.hpp"

#include "flags/help.hpp"
#include "flags/memory_budget.hpp"
#include "maps/from_text.hpp"
#include "terminal/terminal.hpp"

#include <mercer/hebbian.hpp>
#include <mercer/rate.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace mercer::cli {

namespace {

constexpr const char* rows_group = "Rows in";
constexpr const char* run_group = "Running";
constexpr const char* variance_group = "Variance";

template <class Value>
struct Choice {
  std::string_view name;
  Value value;
  std::string_view notes = {};
};

template <class Value, std::size_t count>
std::vector<OptionValue> names_of(const Choice<Value> (&choices)[count]) {
  std::vector<OptionValue> names;
  for (const Choice<Value>& choice : choices)
    names.push_back({std::string(choice.name), std::string(choice.notes)});
  return names;
}

template <class Value, std::size_t count>
Value choose(std::string_view option, std::string_view text,
             const Choice<Value> (&choices)[count]) {
  for (const Choice<Value>& choice : choices)
    if (choice.name == text) return choice.value;
  refuse_value(option, text, names_of(choices));
}

constexpr Choice<Missing> missing_choices[] = {
    {"error", Missing::error, "report an error"},
    {"drop", Missing::drop, "drop the row"},
    {"mean", Missing::mean, "use the column mean"},
    {"em", Missing::em, "linear PCA: impute by iterative PCA"}};
constexpr Choice<Header> header_choices[] = {
    {"auto", Header::automatic}, {"yes", Header::yes}, {"no", Header::no}};
constexpr Choice<Scale> scale_choices[] = {
    {"none", Scale::none, "no scaling"},
    {"std", Scale::std, "divide each column by its standard deviation; kept in the model"}};
constexpr Choice<bool> precision_choices[] = {{"double", false}, {"float", true}};
constexpr Choice<int> ddof_choices[] = {{"1", 1}, {"0", 0}};
constexpr Choice<char> delimiter_choices[] = {
    {"tab", '\t'}, {"comma", ','}, {"semicolon", ';'}, {"pipe", '|'}, {"space", ' '}};
constexpr Choice<Components (*)()> component_choices[] = {
    {"all", all_components, "all components"},
    {"auto", significant, "those that pass a permutation test"},
    {"gavish-donoho", gavish_donoho, "those above the optimal threshold for white noise"},
    {"minka", minka, "the number with the largest evidence (Minka 2000)"}};
std::vector<OptionValue> format_values() {
  std::vector<OptionValue> values = {{"auto", "by extension"}};
  for (const FormatEntry& entry : format_table()) {
    std::string extensions;
    for (const std::string& e : entry.extensions)
      extensions += (extensions.empty() ? "" : ", ") + e;
    values.push_back({entry.name, fmt::format("{} ({})", entry.notes, extensions)});
  }
  return values;
}

Format parse_format(const std::string& text) {
  if (text == "auto") return Format::by_extension;
  for (const FormatEntry& entry : format_table())
    if (entry.name == text) return entry.format;
  refuse_value("--format", text, format_values());
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  if (text.starts_with('+')) text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc{} || rest != end) return std::nullopt;
  return value;
}

char parse_delimiter(std::string_view text) {
  if (text.empty()) return 0;
  if (text == "\\t") return '\t';
  for (const auto& [name, value, notes] : delimiter_choices)
    if (name == text) return value;
  const auto c = static_cast<unsigned char>(text.front());
  const bool fine = text.size() == 1 && c < 0x80 && c != '"' && c != '\n' && c != '\r' && c != 0;
  if (!fine || std::isalnum(c) || c == '.' || c == '-' || c == '+')
    throw UsageError(
        fmt::format("--delimiter '{}' cannot separate cells; use one character such as ';', or {}",
                    text, listed(names_of(delimiter_choices))));
  return text.front();
}

/// An empty text is the state of an option that was not given: it would be ignored.
CLI::Option* needs_text(CLI::Option* option) {
  return option->check([option](const std::string& text) {
    if (text.empty()) throw UsageError(fmt::format("{} needs a value", option->get_name()));
    return std::string();
  });
}

}  // namespace

CLI::Option* add_text(CLI::App& app, const std::string& name, std::string& value,
                      const std::string& placeholder, const std::string& help,
                      const std::string& group) {
  return needs_text(app.add_option(name, value, help))
      ->option_text(placeholder)
      ->group(group)
      ->default_str(value);
}

CLI::Option* add_choice(CLI::App& app, const std::string& name, std::string& value,
                        const std::string& placeholder, std::vector<OptionValue> values,
                        const std::string& help, const std::string& group) {
  std::string shown_value = placeholder;
  if (placeholder.empty() && name.starts_with('-'))
    for (const OptionValue& v : values) shown_value += (shown_value.empty() ? "" : "|") + v.name;
  return one_of(add_text(app, name, value, shown_value, help, group), std::move(values));
}

CLI::Option* add_list(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                      const std::string& placeholder, const std::string& help,
                      const std::string& group) {
  return needs_text(app.add_option(name, values, help))->option_text(placeholder)->group(group);
}

void add_switch(CLI::App& app, const std::string& name, bool& value, const std::string& help,
                const std::string& group) {
  app.add_flag(name, value, help)->group(group);
}

std::string data_help(const std::string& what) {
  std::string extensions;
  for (const FormatEntry& entry : format_table()) extensions += entry.extensions.front() + " ";
  if (!extensions.empty()) extensions.pop_back();
  return fmt::format("{} ({}, also .gz), or - for standard input", what, extensions);
}

CLI::Option* add_data(CLI::App& app, std::string& path) {
  return add_text(app, "DATA", path, "", data_help("a file"), "Files");
}

CLI::Option* add_map_flag(CLI::App& app, std::string& map, const std::string& help) {
  std::vector<OptionValue> values;
  for (const MapEntry& entry : map_table()) values.push_back({entry.example, entry.formula});
  return such_as(add_text(app, "--map", map, "EXPR", help, "Space"), std::move(values));
}

CLI::Option* add_kernel_flag(CLI::App& app, std::string& kernel, const std::string& help) {
  std::vector<OptionValue> names;
  for (const KernelEntry& entry : kernel_table()) names.push_back({entry.name, entry.formula});
  return such_as(add_text(app, "--kernel", kernel, "EXPR", help, "Space"), std::move(names));
}

void add_scale_flag(CLI::App& app, std::string& scale, const std::string& help,
                    const std::string& group) {
  add_choice(app, "--scale", scale, "", names_of(scale_choices), help, group);
}

std::vector<OptionValue> solver_values() {
  std::vector<OptionValue> values;
  for (const SolverEntry& entry : solver_table()) values.push_back({entry.name, entry.notes});
  return values;
}

std::vector<OptionValue> rule_values() {
  std::vector<OptionValue> values;
  for (const RuleEntry& entry : rule_table()) values.push_back({entry.name, entry.notes});
  values.push_back({"sanger", "another name of gha"});
  return values;
}

std::vector<OptionValue> rate_values() {
  std::vector<OptionValue> values;
  for (const RateEntry& entry : rate_table()) values.push_back({entry.example, entry.notes});
  return values;
}

std::vector<OptionValue> approx_values() {
  std::vector<OptionValue> values;
  for (const ApproxEntry& entry : approx_table()) values.push_back({entry.example, entry.notes});
  return values;
}

std::vector<OptionValue> component_values() { return names_of(component_choices); }

void add_missing_flag(CLI::App& app, std::string& missing, Filling most) {
  std::vector<OptionValue> all = names_of(missing_choices), able = all;
  able.resize(static_cast<std::size_t>(most));
  std::string shown_values;
  for (const OptionValue& v : able) shown_values += (shown_values.empty() ? "" : "|") + v.name;
  CLI::Option* option =
      add_text(app, "--missing", missing, shown_values,
               "what to do with cells that are empty, NA, NaN, nan or ?", rows_group);
  const char* instead = most == Filling::mean   ? "use --missing mean or drop"
                        : most == Filling::drop ? "use --missing drop, or impute the values"
                                                : "impute the values";
  option->check([=, command = &app](const std::string& text) {
    const auto has = [&](const std::vector<OptionValue>& values) {
      return std::ranges::find(values, text, &OptionValue::name) != values.end();
    };
    if (has(all) && !has(able))
      throw UsageError(fmt::format("--missing {} is not supported by {}: {}", text,
                                   full_name(*command), instead));
    return std::string();
  });
  one_of(option, std::move(able));
}

void add_row_flags(CLI::App& app, RowFlags& flags, Weights weights, Filling most) {
  add_text(app, "--columns", flags.columns, "LIST",
           "feature columns by name or number, with ranges: a,b,5-9", rows_group)
      ->default_str("all others");
  add_text(app, "--exclude", flags.exclude, "LIST", "columns to exclude", rows_group);
  add_text(app, "--label", flags.label, "COL",
           "label column: copied to every output, not a feature", rows_group);
  add_text(app, "--id", flags.id, "COL", "id column: copied to every output, not a feature",
           rows_group);
  if (weights == Weights::yes)
    add_text(app, "--weights", flags.weights, "COL",
             "column of row weights; a row of weight 3 counts as three equal rows", rows_group);
  add_text(app, "--onehot", flags.onehot, "LIST",
           "categorical columns: one 0/1 feature per category", rows_group);
  add_missing_flag(app, flags.missing, most);
  add_choice(app, "--header", flags.header, "", names_of(header_choices),
             "whether the first line is a header", rows_group);
  such_as(add_text(app, "--delimiter", flags.delimiter, "CHAR",
                   "delimiter: one character or a name", rows_group)
              ->default_str("by extension"),
          names_of(delimiter_choices));
  add_choice(app, "--format", flags.format, "", format_values(), "format of the rows", rows_group);
}

void add_run_flags(CLI::App& app, RunFlags& flags) {
  add_text(app, "--threads", flags.threads, "N", "number of threads; never changes results",
           run_group)
      ->default_str("one per core");
  add_text(app, "--seed", flags.seed, "N", "seed of everything that draws random numbers",
           run_group);
  add_switch(app, "-q,--quiet", flags.quiet, "no summary and no progress bar", run_group);
}

CLI::Option* add_precision_flag(CLI::App& app, std::string& precision, const std::string& help) {
  return add_choice(app, "--precision", precision, "", names_of(precision_choices), help,
                    run_group);
}

void add_variance_flags(CLI::App& app, VarianceFlags& flags) {
  add_scale_flag(app, flags.scale, "std: divide each column by its standard deviation",
                 variance_group);
  add_switch(app, "--no-center", flags.no_center, "do not subtract the mean", variance_group);
  add_choice(app, "--ddof", flags.ddof, "", names_of(ddof_choices),
             "1: variances are over N-1, 0: over N", variance_group);
  add_text(app, "--memory", flags.memory, "SIZE",
           "memory budget such as 256MiB; larger data is streamed", run_group)
      ->default_str("half of the free memory");
}

std::int64_t parse_integer(std::string_view option, std::string_view text, std::int64_t low,
                           std::int64_t high) {
  const auto value = number<std::int64_t>(text);
  if (!value || *value < low || *value > high)
    throw UsageError(
        high == std::numeric_limits<std::int64_t>::max()
            ? fmt::format("{} '{}' is not an integer of at least {}", option, text, low)
            : fmt::format("{} '{}' is not an integer from {} to {}", option, text, low, high));
  return *value;
}

Components parse_components(std::string_view text) {
  for (const auto& [name, rule, notes] : component_choices)
    if (name == text) return rule();
  const auto refuse = [&] {
    return UsageError(
        fmt::format("--components '{}' is neither a count (10), nor a fraction of the "
                    "variance between 0 and 1 (0.95), nor {}",
                    text, listed(component_values())));
  };
  if (text.find_first_of(".eE") == std::string_view::npos) {
    const auto count = number<std::int64_t>(text);
    if (!count || *count < 1) throw refuse();
    return Components(static_cast<Index>(*count));
  }
  const auto fraction = number<double>(text);
  if (!fraction || !(*fraction > 0 && *fraction < 1)) throw refuse();
  return variance_fraction(*fraction);
}

Solver parse_solver(std::string_view text) {
  for (const SolverEntry& entry : solver_table())
    if (entry.name == text) return entry.solver;
  refuse_value("--solver", text, solver_values());
}

Missing parse_missing(std::string_view text) { return choose("--missing", text, missing_choices); }

double parse_tolerance(std::string_view text) {
  const auto value = number<double>(text);
  if (!value || !(*value > 0 && *value < 1))
    throw UsageError(fmt::format("--tolerance '{}' is not a number between 0 and 1", text));
  return *value;
}

Scale parse_scale(std::string_view text) { return choose("--scale", text, scale_choices); }

double parse_positive(std::string_view option, std::string_view text) {
  const auto value = number<double>(text);
  if (!value || !(*value > 0) || !std::isfinite(*value))
    throw UsageError(fmt::format("{} '{}' is not a number greater than 0", option, text));
  return *value;
}

double parse_seconds(std::string_view option, std::string_view text) {
  static constexpr Choice<double> units[] = {{"ms", 1e-3}, {"min", 60}, {"s", 1}, {"h", 3600}};
  std::string_view digits = text;
  double unit = 1;
  for (const auto& [name, seconds, notes] : units)
    if (text.ends_with(name)) {
      digits = text.substr(0, text.size() - name.size());
      unit = seconds;
      break;
    }
  while (digits.ends_with(' ')) digits.remove_suffix(1);
  const auto value = number<double>(digits);
  if (!value || !(*value > 0) || !std::isfinite(*value * unit))
    throw UsageError(fmt::format("{} '{}' is not a time such as 30s, 5min or 2h", option, text));
  return *value * unit;
}

bool parse_is_float(std::string_view text) {
  return choose("--precision", text, precision_choices);
}

ReadOptions read_options(const RowFlags& rows, const RunFlags& run, const Monitor& monitor,
                         std::size_t memory) {
  ReadOptions options;
  options.format = parse_format(rows.format);
  options.header = choose("--header", rows.header, header_choices);
  options.delimiter = parse_delimiter(rows.delimiter);
  options.columns = rows.columns;
  options.exclude = rows.exclude;
  options.label = rows.label;
  options.id = rows.id;
  options.weights = rows.weights;
  options.onehot = rows.onehot;
  options.missing = parse_missing(rows.missing);
  options.threads = static_cast<int>(parse_integer("--threads", run.threads, 0, 4096));
  options.monitor = monitor;
  if (memory > 0)  // a map takes four blocks at once, the program itself a few MiB
    options.block_bytes = std::clamp<std::size_t>(memory / 16, 1 << 20, options.block_bytes);
  parse_integer("--seed", run.seed, 0, std::numeric_limits<std::int64_t>::max());
  return options;
}

void require_map(const std::string& text) {
  if (!text.empty()) require_map_text(text);
}

void note_header(const Schema& schema, const std::string& file, const RowFlags& rows,
                 const RunFlags& run) {
  const std::vector<std::string>& names = schema.feature_names;
  if (run.quiet || rows.header != "auto" || names.size() < 2) return;
  std::int64_t before = -1;
  for (const std::string& name : names) {
    std::int64_t number = -1;
    const auto [rest, status] = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool whole = status == std::errc{} && rest == name.data() + name.size() && number >= 0;
    if (!whole || (before >= 0 && number != before + 1)) return;
    before = number;
  }
  say(
      fmt::format("mercer: note: the first line of '{}' ({}, {}, ...) is read as a header; use "
                  "--header no to read it as a row\n",
                  file, names[0], names[1]));
}

FitOptions fit_options(const VarianceFlags& variance, const RowFlags& rows, const RunFlags& run,
                       const Monitor& monitor) {
  FitOptions options;
  options.scale = parse_scale(variance.scale);
  options.center = !variance.no_center;
  options.ddof = choose("--ddof", variance.ddof, ddof_choices);
  options.missing = parse_missing(rows.missing);
  options.threads = static_cast<int>(parse_integer("--threads", run.threads, 0, 4096));
  options.memory = memory_of(variance.memory);
  options.seed = static_cast<std::uint64_t>(
      parse_integer("--seed", run.seed, 0, std::numeric_limits<std::int64_t>::max()));
  options.monitor = monitor;
  return options;
}

}  // namespace mercer::cli
