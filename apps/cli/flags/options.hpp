#pragma once
// The flags that commands share: their names, help and meaning. Values are kept as text and parsed
// here, so that every error has the same form.

#include "flags/values.hpp"

#include <mercer/data.hpp>
#include <mercer/error.hpp>
#include <mercer/fit.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace mercer::cli {

/// Wrong usage: the message ends with where help is.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message) : Error(Errc::bad_option, message) {}
};

/// Rows in.
struct RowFlags {
  std::string data;
  std::string format = "auto";
  std::string header = "auto";
  std::string delimiter;
  std::string columns, exclude, label, id, weights, onehot;
  std::string missing = "error";
};

/// How to run.
struct RunFlags {
  std::string threads = "0";
  std::string seed = std::to_string(default_seed);
  bool quiet = false;
};

/// What variance means.
struct VarianceFlags {
  std::string ddof = "1";
  std::string scale = "none";
  bool no_center = false;
  std::string precision = "double";
  std::string memory;
};

enum class Weights { no, yes };
/// What a command can do with missing cells, at most: the values of --missing up to this one.
enum class Filling { error = 1, drop, mean, em };
void add_row_flags(CLI::App& app, RowFlags& flags, Weights weights, Filling most = Filling::em);
void add_run_flags(CLI::App& app, RunFlags& flags);
void add_variance_flags(CLI::App& app, VarianceFlags& flags);
CLI::Option* add_precision_flag(CLI::App& app, std::string& precision, const std::string& help);

/// A text option with the name of its value in the help, in a group of the help. What `value` holds
/// already is shown as the default; `->default_str()` replaces that by a text.
CLI::Option* add_text(CLI::App& app, const std::string& name, std::string& value,
                      const std::string& placeholder, const std::string& help,
                      const std::string& group);
/// An option with a closed set of values; an empty `placeholder` shows them all: `none|std`.
CLI::Option* add_choice(CLI::App& app, const std::string& name, std::string& value,
                        const std::string& placeholder, std::vector<OptionValue> values,
                        const std::string& help, const std::string& group);
/// An argument or option that may be given several times.
CLI::Option* add_list(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                      const std::string& placeholder, const std::string& help,
                      const std::string& group);
void add_switch(CLI::App& app, const std::string& name, bool& value, const std::string& help,
                const std::string& group);

/// DATA: rows from a file or standard input.
CLI::Option* add_data(CLI::App& app, std::string& path);
/// "a file (.csv .tsv .npy .mtx .svm, also .gz), or - for standard input".
std::string data_help(const std::string& what);
/// --map and --kernel, with examples.
CLI::Option* add_map_flag(CLI::App& app, std::string& map, const std::string& help);
CLI::Option* add_kernel_flag(CLI::App& app, std::string& kernel, const std::string& help);
void add_scale_flag(CLI::App& app, std::string& scale, const std::string& help,
                    const std::string& group);

/// The values of options, from the library's tables.
std::vector<OptionValue> solver_values();
std::vector<OptionValue> rule_values();
std::vector<OptionValue> rate_values();
std::vector<OptionValue> approx_values();
std::vector<OptionValue> component_values();

/// `memory`: the budget in bytes that blocks must leave room in; 0: none was set.
ReadOptions read_options(const RowFlags& rows, const RunFlags& run, const Monitor& monitor,
                         std::size_t memory = 0);
/// Says that the first line, numbers that count up, was taken for names.
void note_header(const Schema& schema, const std::string& file, const RowFlags& rows,
                 const RunFlags& run);

/// Throws if `--map TEXT` is not a map, before rows are read.
void require_map(const std::string& text);

FitOptions fit_options(const VarianceFlags& variance, const RowFlags& rows, const RunFlags& run,
                       const Monitor& monitor);

/// `10`, `0.95`, `all`, `auto`, `gavish-donoho` or `minka`.
Components parse_components(std::string_view text);
Solver parse_solver(std::string_view text);
Missing parse_missing(std::string_view text);
double parse_tolerance(std::string_view text);
Scale parse_scale(std::string_view text);
/// A number greater than 0.
double parse_positive(std::string_view option, std::string_view text);
/// 30s, 500ms, 5min, 2h; a number alone is seconds.
double parse_seconds(std::string_view option, std::string_view text);
bool parse_is_float(std::string_view text);
std::int64_t parse_integer(std::string_view option, std::string_view text, std::int64_t low,
                           std::int64_t high);

}  // namespace mercer::cli
