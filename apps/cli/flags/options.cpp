#include "flags/options.hpp"

#include "core/memory.hpp"
#include "maps/from_text.hpp"
#include "terminal/terminal.hpp"

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
};

template <class Value, std::size_t count>
Value choose(std::string_view option, std::string_view text,
             const Choice<Value> (&choices)[count]) {
  std::string names;
  for (std::size_t i = 0; i < count; ++i) {
    if (choices[i].name == text) return choices[i].value;
    names += i == 0 ? "" : i + 1 == count ? " or " : ", ";
    names += choices[i].name;
  }
  throw UsageError(fmt::format("{} '{}' is unknown; use {}", option, text, names));
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
  static constexpr Choice<char> names[] = {{"tab", '\t'},      {"\\t", '\t'}, {"comma", ','},
                                           {"semicolon", ';'}, {"pipe", '|'}, {"space", ' '}};
  if (text.empty()) return 0;
  for (const auto& [name, value] : names)
    if (name == text) return value;
  const auto c = static_cast<unsigned char>(text.front());
  const bool fine = text.size() == 1 && c < 0x80 && c != '"' && c != '\n' && c != '\r' && c != 0;
  if (!fine || std::isalnum(c) || c == '.' || c == '-' || c == '+')
    throw UsageError(
        fmt::format("--delimiter '{}' cannot separate cells; use one character such as "
                    "';', or tab, comma, semicolon, pipe or space",
                    text));
  return text.front();
}

}  // namespace

CLI::Option* add_text(CLI::App& app, const std::string& name, std::string& value,
                      const std::string& placeholder, const std::string& help,
                      const std::string& group) {
  return app.add_option(name, value, help)->option_text(placeholder)->group(group);
}

void add_switch(CLI::App& app, const std::string& name, bool& value, const std::string& help,
                const std::string& group) {
  app.add_flag(name, value, help)->group(group);
}

void add_row_flags(CLI::App& app, RowFlags& flags, Weights weights) {
  add_text(app, "--columns", flags.columns, "LIST", "features, by name or number: a,b,5-9",
           rows_group);
  add_text(app, "--exclude", flags.exclude, "LIST", "columns to leave out", rows_group);
  add_text(app, "--label", flags.label, "COL", "label column: carried along, not in the arithmetic",
           rows_group);
  add_text(app, "--id", flags.id, "COL", "id column: carried along, not in the arithmetic",
           rows_group);
  if (weights == Weights::yes)
    add_text(app, "--weights", flags.weights, "COL", "row weights, as if rows were repeated",
             rows_group);
  add_text(app, "--onehot", flags.onehot, "LIST",
           "columns of categories: one feature a category, 1 where the row has it", rows_group);
  add_text(app, "--missing", flags.missing, "error|drop|mean|em",
           "cells that are empty, NA, NaN, nan or ? (error)", rows_group);
  add_text(app, "--header", flags.header, "auto|yes|no", "is the first line a header? (auto)",
           rows_group);
  add_text(app, "--delimiter", flags.delimiter, "CHAR",
           "between cells: one character, or tab, comma, semicolon, pipe, space", rows_group);
  add_text(app, "--format", flags.format, "auto|csv|tsv|npy|mtx|svm",
           "format of the rows (by extension)", rows_group);
}

void add_run_flags(CLI::App& app, RunFlags& flags) {
  add_text(app, "--threads", flags.threads, "N", "threads (one per core)", run_group);
  add_text(app, "--seed", flags.seed, "N", "seed for methods that draw random numbers (0)",
           run_group);
  add_switch(app, "-q,--quiet", flags.quiet, "no words, no progress bar", run_group);
}

void add_precision_flag(CLI::App& app, std::string& precision, const std::string& help) {
  add_text(app, "--precision", precision, "double|float", help, run_group);
}

void add_variance_flags(CLI::App& app, VarianceFlags& flags) {
  add_text(app, "--scale", flags.scale, "none|std", "std: divide columns by their deviation (none)",
           variance_group);
  add_switch(app, "--no-center", flags.no_center, "leave the mean in", variance_group);
  add_text(app, "--ddof", flags.ddof, "1|0", "variances are over N-1 or N (1)", variance_group);
  add_text(app, "--memory", flags.memory, "SIZE", "budget, such as 256MiB; larger data is streamed",
           run_group);
}

std::int64_t parse_integer(std::string_view option, std::string_view text, std::int64_t low,
                           std::int64_t high) {
  const auto value = number<std::int64_t>(text);
  if (!value || *value < low || *value > high)
    throw UsageError(
        high == std::numeric_limits<std::int64_t>::max()
            ? fmt::format("{} '{}' is not a whole number from {} on", option, text, low)
            : fmt::format("{} '{}' is not a whole number from {} to {}", option, text, low, high));
  return *value;
}

Components parse_components(std::string_view text) {
  if (text == "all") return all_components();
  if (text == "auto") return significant();
  if (text == "gavish-donoho") return gavish_donoho();
  if (text == "minka") return minka();
  const auto refuse = [&] {
    return UsageError(
        fmt::format("--components '{}' is neither a count (10), nor a fraction of the "
                    "variance between 0 and 1 (0.95), nor all, auto, gavish-donoho or minka",
                    text));
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
  static constexpr Choice<Solver> choices[] = {
      {"auto", Solver::automatic}, {"covariance", Solver::covariance}, {"gram", Solver::gram},
      {"svd", Solver::svd},        {"randomized", Solver::randomized}, {"dense", Solver::dense},
      {"krylov", Solver::krylov}};
  return choose("--solver", text, choices);
}

Missing parse_missing(std::string_view text) {
  static constexpr Choice<Missing> choices[] = {{"error", Missing::error},
                                                {"drop", Missing::drop},
                                                {"mean", Missing::mean},
                                                {"em", Missing::em}};
  return choose("--missing", text, choices);
}

double parse_tolerance(std::string_view text) {
  const auto value = number<double>(text);
  if (!value || !(*value > 0 && *value < 1))
    throw UsageError(fmt::format("--tolerance '{}' is not a number between 0 and 1", text));
  return *value;
}

Scale parse_scale(std::string_view text) {
  static constexpr Choice<Scale> choices[] = {{"none", Scale::none}, {"std", Scale::std}};
  return choose("--scale", text, choices);
}

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
  for (const auto& [name, seconds] : units)
    if (text.ends_with(name)) {
      digits = text.substr(0, text.size() - name.size());
      unit = seconds;
      break;
    }
  while (digits.ends_with(' ')) digits.remove_suffix(1);
  const auto value = number<double>(digits);
  if (!value || !(*value > 0) || !std::isfinite(*value * unit))
    throw UsageError(fmt::format("{} '{}' is no time such as 30s, 5min or 2h", option, text));
  return *value * unit;
}

bool parse_is_float(std::string_view text) {
  static constexpr Choice<bool> choices[] = {{"double", false}, {"float", true}};
  return choose("--precision", text, choices);
}

ReadOptions read_options(const RowFlags& rows, const RunFlags& run, const Monitor& monitor,
                         std::size_t memory) {
  static constexpr Choice<Format> formats[] = {
      {"auto", Format::by_extension}, {"csv", Format::csv}, {"tsv", Format::tsv},
      {"npy", Format::npy},           {"mtx", Format::mtx}, {"svm", Format::svm}};
  static constexpr Choice<Header> headers[] = {
      {"auto", Header::automatic}, {"yes", Header::yes}, {"no", Header::no}};
  ReadOptions options;
  options.format = choose("--format", rows.format, formats);
  options.header = choose("--header", rows.header, headers);
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
  if (!text.empty() && !map_from_text<double>(text, 1))
    throw UsageError(
        fmt::format("--map '{}' is unknown; there are monomials(degree=2), polynomial(degree=2), "
                    "plain(degree=2) and squares",
                    text));
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
      fmt::format("mercer: note: the first line of '{}' counts up ({}, {}, ...) and is taken for "
                  "names; --header no makes it a row\n",
                  file, names[0], names[1]));
}

FitOptions fit_options(const VarianceFlags& variance, const RowFlags& rows, const RunFlags& run,
                       const Monitor& monitor) {
  FitOptions options;
  options.scale = parse_scale(variance.scale);
  options.center = !variance.no_center;
  options.ddof = static_cast<int>(parse_integer("--ddof", variance.ddof, 0, 1));
  options.missing = parse_missing(rows.missing);
  options.threads = static_cast<int>(parse_integer("--threads", run.threads, 0, 4096));
  if (!variance.memory.empty()) options.memory = parse_bytes(variance.memory, "--memory");
  options.seed = static_cast<std::uint64_t>(
      parse_integer("--seed", run.seed, 0, std::numeric_limits<std::int64_t>::max()));
  options.monitor = monitor;
  return options;
}

}  // namespace mercer::cli
