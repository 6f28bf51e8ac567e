#include <mercer/eigs_memory.hpp>

#include "commands/commands.hpp"
#include "core/memory.hpp"
#include "core/require.hpp"
#include "flags/file_plan.hpp"
#include "flags/help.hpp"
#include "flags/memory_budget.hpp"
#include "flags/options.hpp"
#include "rows/rows_in_memory.hpp"
#include "rows/scores.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/progress_bar.hpp"
#include "terminal/terminal.hpp"

#include <mercer/fit_operator.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace mercer::cli {

namespace {

constexpr const char* eigs_examples =
    "  mercer eigs K.npy -k 5                               the largest, with residuals\n"
    "  mercer eigs laplacian.mtx -k 3 --smallest -o vectors.csv\n"
    "  mercer eigs K.npy -k 5 --center --json               of JKJ, J = I - 11'/n\n";

struct EigsFlags {
  RowFlags rows;
  RunFlags run;
  std::string count, tolerance = "1e-10", passes = "500", memory, output;
  bool smallest = false, center = false, json = false;
};

std::string eigs_json(const Eigs& found, const EigsFlags& flags, double tolerance) {
  const auto list = [](const Vector<double>& v) { return std::vector<double>(v.begin(), v.end()); };
  nlohmann::ordered_json out = {{"size", found.vectors.rows()},
                                {"smallest", flags.smallest},
                                {"centered", flags.center},
                                {"eigenvalues", list(found.values)},
                                {"residuals", list(found.residuals)},
                                {"tolerance", tolerance},
                                {"passes", found.passes},
                                {"beyond", found.beyond},
                                {"confidence", found.confidence}};
  return out.dump(2) + "\n";
}

std::string eigs_table(const Eigs& found, const EigsFlags& flags, const Terminal& out) {
  std::string text =
      out.bold(fmt::format("{:>4}{:>20}{:>12}", "", "eigenvalue", "residual")) + "\n";
  for (Index j = 0; j < found.values.size(); ++j)
    text += fmt::format("{:>4}{:>20.12g}{:>12.2g}\n", j + 1, found.values[j], found.residuals[j]);
  std::string others;
  if (std::isinf(found.beyond)) others = "; no bound on the others was found";
  else if (found.values.size() < found.vectors.rows())
    others = fmt::format(
        "; all others are {} {:.6g} ({})", flags.smallest ? "above" : "below", found.beyond,
        found.confidence == 1 ? std::string("proven")
                              : fmt::format("confidence 1 - {:.1g}", 1 - found.confidence));
  return text +
         out.dim(fmt::format("{} pass{}{}", found.passes, found.passes == 1 ? "" : "es", others)) +
         "\n";
}

double bytes_of(const Schema& schema, double rows, double entries) {
  return schema.sparse ? 12 * entries + 8 * rows : 8 * entries;
}

/// The matrix, which leaves enough of the budget for its eigenvectors: sets `options.memory`.
Table<double> matrix_within(Source<double>& source, std::size_t budget, Index k,
                            EigsOptions& options) {
  const Schema& schema = source.schema();
  const Index n = schema.features;
  const auto vectors = static_cast<double>(least_eigs_memory(n, k, options));
  const auto total = static_cast<double>(budget);
  std::optional<Table<double>> table;
  double rows = 0, entries = 0;
  try {
    table = read_all(source, budget);
    rows = static_cast<double>(table->rows().rows());
    entries = static_cast<double>(table->rows().entries());
  } catch (const Error& error) {
    if (error.code() != Errc::out_of_memory || !source.can_rewind()) throw;
    source.rewind();
    while (const auto block = source.next()) {
      rows += static_cast<double>(block->rows.rows());
      entries += static_cast<double>(block->rows.entries());
    }
  }
  const double matrix = bytes_of(schema, rows, entries);
  if (!table || matrix + vectors > total)
    fail(Errc::out_of_memory,
         "'{}' takes {}, and {} eigenvector{} of length {} {} {} beside it: --memory must be at "
         "least {}",
         source.name(), format_bytes(matrix), k, k == 1 ? "" : "s", n, k == 1 ? "takes" : "take",
         format_bytes(vectors), format_least_bytes(matrix + vectors));
  options.memory = static_cast<std::size_t>(total - matrix);
  return std::move(*table);
}

void eigs_of_file(const EigsFlags& flags) {
  FilePlan()
      .reads("MATRIX", flags.rows.data)
      .writes("--output", flags.output, Content::rows)
      .prints_json(flags.json)
      .check();
  const std::size_t budget = memory_of(flags.memory);
  ProgressBar bar(!flags.run.quiet);
  ReadOptions reading = read_options(flags.rows, flags.run, bar.monitor(), budget);
  reading.missing = Missing::mean;  // leaves NaN to MatrixOperator, which names row and column
  EigsOptions options{.smallest = flags.smallest,
                      .tolerance = parse_tolerance(flags.tolerance),
                      .max_passes = static_cast<int>(parse_integer(
                          "--passes", flags.passes, 1, std::numeric_limits<int>::max())),
                      .threads = reading.threads,
                      .seed = static_cast<std::uint64_t>(parse_integer(
                          "--seed", flags.run.seed, 0, std::numeric_limits<std::int64_t>::max())),
                      .monitor = bar.monitor()};
  const auto source = open<double>(flags.rows.data, reading);
  const auto k_of = [&](Index n) {
    return flags.count.empty() ? std::min<Index>(6, n) : parse_integer("-k", flags.count, 1, n);
  };
  const Table<double> table =
      matrix_within(*source, budget, k_of(source->schema().features), options);
  note_header(table.schema, source->name(), flags.rows, flags.run);
  const Eigs found = naming(source->name(), [&] {
    MatrixOperator matrix(table.rows(), reading.threads);
    const Index k = k_of(matrix.size());
    if (flags.center) return eigs(Centered(matrix), k, options);
    return eigs(matrix, k, options);
  });
  stop_if_interrupted();
  bar.erase();
  if (!flags.output.empty())
    write_rows_of(table, flags.output, "v", found.vectors, reading.threads);
  if (flags.json) print(eigs_json(found, flags, options.tolerance));
  else if (flags.output.empty() || (flags.output != "-" && !flags.run.quiet))
    print(eigs_table(found, flags, terminal(STDOUT_FILENO)));
}

}  // namespace

void add_eigs(CLI::App& app) {
  auto flags = std::make_shared<EigsFlags>();
  CLI::App& command =
      add_command(app, "eigs", "Find eigenpairs of a symmetric matrix", eigs_examples);
  add_text(command, "MATRIX", flags->rows.data, "", data_help("a symmetric matrix"), "Files")
      ->required();
  add_text(command, "-k,--components", flags->count, "N", "number of eigenpairs", "Results")
      ->default_str("6");
  add_switch(command, "--smallest", flags->smallest, "the smallest eigenvalues, not the largest",
             "Results");
  add_switch(command, "--center", flags->center,
             "of the centred matrix JAJ, J = I - 11'/n, as kernel PCA has it", "Results");
  add_text(command, "-o,--output", flags->output, "FILE",
           "the eigenvectors, one per column (.csv .tsv .npy; - for standard output)", "Results");
  add_switch(command, "--json", flags->json, "print the result as JSON", "Results");
  add_text(command, "--tolerance", flags->tolerance, "X",
           "largest residual, relative to the largest absolute eigenvalue", "Running");
  add_text(command, "--passes", flags->passes, "N",
           "largest number of products with a block of vectors", "Running");
  add_row_flags(command, flags->rows, Weights::no, Filling::error);
  add_memory_flag(command, flags->memory)->default_str("half of the free memory");
  add_run_flags(command, flags->run);
  add_help(command);
  command.callback([flags] { eigs_of_file(*flags); });
}

}  // namespace mercer::cli
