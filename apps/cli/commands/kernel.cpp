#include "commands/commands.hpp"

#include "core/memory.hpp"
#include "core/require.hpp"
#include "flags/file_plan.hpp"
#include "flags/help.hpp"
#include "flags/memory_budget.hpp"
#include "flags/options.hpp"
#include "rows/numbered_rows.hpp"
#include "rows/rows_in_memory.hpp"
#include "rows/scores.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/progress_bar.hpp"
#include "terminal/summary.hpp"

#include <mercer/kernel.hpp>
#include <mercer/matrices.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>

namespace mercer::cli {

namespace {

constexpr const char* group_examples =
    "  mercer kernel list                                   formulas, parameters, other spellings\n"
    "  mercer kernel check 'rbf + 0.1*linear' iris.csv --label species\n"
    "  mercer kernel matrix 'rbf(gamma=0.5)' iris.csv --label species -o K.npy\n";
constexpr const char* list_examples = "  mercer kernel list\n";
constexpr const char* check_examples =
    "  mercer kernel check 'rbf(gamma=0.1)' iris.csv --label species\n"
    "  mercer kernel check 'sigmoid(gamma=0.1, coef0=-5)' iris.csv --label species    refused\n";
constexpr const char* matrix_examples =
    "  mercer kernel matrix 'poly(degree=2, coef0=1)' iris.csv --label species -o K.npy\n"
    "  mercer kernel matrix rbf iris.csv --label species -o - | head\n"
    "  mercer kernel matrix rbf iris.csv --label species --center -o JKJ.npy\n";

struct KernelFlags {
  RowFlags rows;
  RunFlags run;
  std::string kernel;
  std::string output;
  std::string precision = "double";
  std::string sample = "1000";
  std::string memory;
  std::size_t budget = 0;  ///< in bytes: `memory`, or half of the free memory
  bool json = false;
  bool center = false;
};

void list() {
  const Terminal out = terminal(STDOUT_FILENO);
  std::string text;
  for (const KernelEntry& k : kernel_table()) {
    text += fmt::format("{}({})\n    {}\n    {}\n", out.bold(k.name), k.parameters, k.formula,
                        out.dim(k.notes));
    const std::pair<const char*, const std::string&> peers[] = {
        {"scikit-learn", k.sklearn}, {"mlpack", k.mlpack}, {"kernlab", k.kernlab}};
    for (const auto& [peer, spelling] : peers)
      if (!spelling.empty()) text += fmt::format("    {:<14}{}\n", peer, spelling);
    text += '\n';
  }
  print(text + "Combine with +, * and ^: 0.5*rbf(gamma=0.1) + poly(degree=2, coef0=1)*linear^2\n");
}

/// The rows, where there is memory for them and for `matrices` of so many rows. `numbers`: of the
/// rows in the file, from 0, where some are dropped.
template <class T>
Table<T> read_rows(const KernelFlags& flags, ReadOptions reading,
                   const std::function<double(double rows)>& matrices,
                   std::vector<Index>* numbers = nullptr) {
  const bool numbered = numbers && reading.missing == Missing::drop;
  if (numbered) reading.missing = Missing::mean;  // leaves them in the rows
  std::unique_ptr<Source<T>> source = open<T>(flags.rows.data, reading);
  if (numbered) {
    auto dropping = std::make_unique<DroppingSource<T>>(std::move(source));
    dropping->collect(*numbers);
    source = std::move(dropping);
  }
  const auto budget = static_cast<double>(flags.budget);
  const double number = sizeof(T) + (source->schema().sparse ? sizeof(std::int32_t) : 0);
  const auto needed = [&](double rows, double entries) {
    return std::max(2 * number * entries, number * entries + matrices(rows));
  };
  auto rows = static_cast<double>(source->expected_rows());
  double entries = rows * static_cast<double>(source->schema().features);
  if (needed(rows, entries) > budget && source->can_rewind()) {  // it was an estimate
    rows = entries = 0;
    while (const auto block = source->next()) {
      rows += static_cast<double>(block->rows.rows());
      entries += static_cast<double>(block->rows.entries());
    }
    source->rewind();
  }
  require(needed(rows, entries) <= budget, Errc::out_of_memory,
          "a kernel matrix of {:.0f} rows does not fit into the {} {}: at least {} is needed", rows,
          format_bytes(budget),
          flags.memory.empty() ? "of the default budget (half of the free memory)" : "of --memory",
          format_least_bytes(needed(rows, entries)));
  Table<T> table = read_all(*source, flags.budget / 2);
  note_header(table.schema, flags.rows.data, flags.rows, flags.run);
  if (table.dropped_rows > 0 && !flags.run.quiet)
    say(fmt::format("mercer: note: {} row{} with missing values dropped\n", table.dropped_rows,
                    table.dropped_rows == 1 ? "" : "s"));
  return table;
}

std::string kernel_json(const Kernel& kernel, const MercerCheck& check) {
  nlohmann::ordered_json out = {{"kernel", kernel.text()},
                                {"valid", check.valid()},
                                {"symmetric", check.symmetric},
                                {"positive_semidefinite", check.positive},
                                {"always_valid", kernel.always_valid()},
                                {"n_samples", check.of},
                                {"rows_checked", check.rows},
                                {"largest_asymmetry", check.asymmetry},
                                {"smallest_eigenvalue", check.smallest},
                                {"largest_eigenvalue", check.largest},
                                {"noise", check.noise}};
  out["witness"] = nullptr;
  if (check.witness.size() > 0) {
    std::vector<Index> rows = check.sample;
    for (Index& row : rows) ++row;
    out["witness"] = {{"value", check.smallest},
                      {"rows", rows},
                      {"z", std::vector<double>(check.witness.begin(), check.witness.end())}};
  }
  return out.dump(2) + "\n";
}

/// The rows that matter most in z.
std::string strongest(const MercerCheck& check) {
  std::vector<Index> order(static_cast<std::size_t>(check.rows));
  std::iota(order.begin(), order.end(), Index{0});
  const auto most = std::min<std::ptrdiff_t>(4, check.rows);
  std::partial_sort(order.begin(), order.begin() + most, order.end(), [&](Index a, Index b) {
    return std::abs(check.witness[a]) > std::abs(check.witness[b]);
  });
  std::string text;
  for (std::ptrdiff_t i = 0; i < most; ++i) {
    const auto at = static_cast<std::size_t>(order[static_cast<std::size_t>(i)]);
    text += fmt::format("{}{:+.3g} row {}", i == 0 ? "" : ", ",
                        check.witness[static_cast<Index>(at)], check.sample[at] + 1);
  }
  return text + (check.rows > most ? ", ..." : "");
}

std::string words(const Kernel& kernel, const MercerCheck& check, const Terminal& out) {
  std::string text = fmt::format("{}\n", out.bold(kernel.text()));
  text += check.rows == check.of
              ? fmt::format("checked on all {} rows\n", check.of)
              : fmt::format("checked on {} of {} rows, evenly spaced\n", check.rows, check.of);
  text +=
      check.symmetric
          ? std::string("symmetric: yes\n")
          : fmt::format("symmetric: no, k(x, y) and k(y, x) differ by {:.6g} for rows {} and {}\n",
                        check.asymmetry, check.row + 1, check.column + 1);
  text += fmt::format("positive semi-definite: {}, eigenvalues from {:.6g} to {:.6g}\n",
                      check.positive ? "yes" : "no", check.smallest, check.largest);
  if (!check.positive)
    text += fmt::format("witness: z'Kz = {:.6g} < 0 for the unit vector z = {}\n", check.smallest,
                        strongest(check));
  else if (kernel.always_valid()) text += out.dim("a Mercer kernel on any rows") + "\n";
  else text += out.dim("not proven for other rows") + "\n";
  return text;
}

void check_rows(const KernelFlags& flags) {
  const Kernel open = Kernel::parse(flags.kernel);
  const Index sample = parse_integer("--sample", flags.sample, 1, 20'000);
  ProgressBar bar(!flags.run.quiet);
  const ReadOptions reading = read_options(flags.rows, flags.run, bar.monitor(), flags.budget);
  std::vector<Index> numbers;
  const auto matrices = [&](double rows) {
    const double side = std::min(static_cast<double>(sample), rows);
    return 5 * 8 * side * side;
  };
  const Table<double> table = read_rows<double>(flags, reading, matrices, &numbers);
  naming(flags.rows.data, [&] {
    require(table.rows().rows() > 0, Errc::bad_data, "no rows");
    const Kernel kernel = open.completed(table.rows());
    MercerCheck check =
        check_kernel(kernel, table.rows(), {.rows = sample, .threads = reading.threads});
    const auto number_in_file = [&](Index& row) {
      if (!numbers.empty()) row = numbers[static_cast<std::size_t>(row)];
    };
    for (Index& row : check.sample) number_in_file(row);
    number_in_file(check.row);
    number_in_file(check.column);
    stop_if_interrupted();
    bar.erase();
    print(flags.json ? kernel_json(kernel, check) : words(kernel, check, terminal(STDOUT_FILENO)));
    require(check.symmetric, Errc::bad_data, "{} is not symmetric", kernel.text());
    require(check.positive, Errc::bad_data,
            "{} is not a Mercer kernel on these rows: z'Kz = {:.6g} < 0 for the witness z",
            kernel.text(), check.smallest);
  });
}

template <class T>
void write_matrix(const KernelFlags& flags) {
  const Kernel open = Kernel::parse(flags.kernel);
  ProgressBar bar(!flags.run.quiet);
  const ReadOptions reading = read_options(flags.rows, flags.run, bar.monitor(), flags.budget);
  // Centred in double, then in the precision of the file.
  const double number = flags.center ? sizeof(double) + sizeof(T) : sizeof(T);
  const Table<T> table =
      read_rows<T>(flags, reading, [&](double rows) { return number * rows * rows; });
  const Index n = table.rows().rows();
  const Matrix<T> k = naming(flags.rows.data, [&] {
    require(n > 0, Errc::bad_data, "no rows");
    const Kernel kernel = open.completed(table.rows());
    if (!flags.run.quiet && !open.complete())
      say(fmt::format("mercer: note: the kernel is {}\n", kernel.text()));
    if (flags.center)
      return Matrix<T>(centred_kernel_matrix(kernel, table.rows(), {.threads = reading.threads})
                           .template cast<T>());
    return kernel.matrix(table.rows(), {.threads = reading.threads});
  });
  stop_if_interrupted();
  write_rows_of(table, flags.output, "k", k, reading.threads);
}

void add_expression_and_data(CLI::App& command, KernelFlags& flags) {
  add_text(command, "EXPR", flags.kernel, "", "a kernel, such as 'rbf(gamma=0.1) + 2*linear'",
           "Files")
      ->required();
  add_data(command, flags.rows.data)->required();
}

}  // namespace

void add_kernel(CLI::App& app) {
  auto flags = std::make_shared<KernelFlags>();
  CLI::App& group = add_command(app, "kernel", "List, check and evaluate kernels", group_examples);
  group.require_subcommand(1);
  add_help(group);

  CLI::App& show = add_command(group, "list", "List every kernel with its formula and parameters",
                               list_examples);
  add_help(show);
  show.callback(list);

  CLI::App& check = add_command(
      group, "check", "Test whether a kernel is symmetric and positive semi-definite on rows",
      check_examples);
  add_expression_and_data(check, *flags);
  add_text(check, "--sample", flags->sample, "N", "number of rows to check, evenly spaced",
           "Results");
  add_switch(check, "--json", flags->json, "print the result as JSON", "Results");
  add_row_flags(check, flags->rows, Weights::no, Filling::drop);
  add_memory_flag(check, flags->memory)->default_str("half of the free memory");
  add_run_flags(check, flags->run);
  add_help(check);
  check.callback([flags] {
    FilePlan().reads("DATA", flags->rows.data).check();
    flags->budget = memory_of(flags->memory);
    check_rows(*flags);
  });

  CLI::App& matrix =
      add_command(group, "matrix", "Compute the kernel matrix of rows", matrix_examples);
  add_expression_and_data(matrix, *flags);
  add_text(matrix, "-o,--output", flags->output, "FILE",
           "the matrix (.csv .tsv .npy; - for standard output)", "Results")
      ->required();
  add_switch(matrix, "--center", flags->center,
             "the centred matrix JKJ, J = I - 11'/N, which kernel PCA decomposes", "Results");
  add_row_flags(matrix, flags->rows, Weights::no, Filling::drop);
  add_memory_flag(matrix, flags->memory)->default_str("half of the free memory");
  add_precision_flag(matrix, flags->precision, "precision of the arithmetic");
  add_run_flags(matrix, flags->run);
  add_help(matrix);
  matrix.callback([flags] {
    FilePlan()
        .reads("DATA", flags->rows.data)
        .writes("--output", flags->output, Content::rows)
        .check();
    flags->budget = memory_of(flags->memory);
    if (parse_is_float(flags->precision)) write_matrix<float>(*flags);
    else write_matrix<double>(*flags);
  });
}

}  // namespace mercer::cli
