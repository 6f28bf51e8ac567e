#include <mercer/matrices.hpp>
#include <mercer/named_matrix.hpp>

#include "commands/commands.hpp"
#include "core/require.hpp"
#include "flags/file_plan.hpp"
#include "flags/help.hpp"
#include "flags/options.hpp"
#include "rows/rows_in_memory.hpp"
#include "rows/scores.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/progress_bar.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <optional>

namespace mercer::cli {

namespace {

constexpr const char* data_matrix_examples =
    "  mercer matrix wine.csv --label cultivar --what covariance -o R.csv\n"
    "  mercer matrix wine.csv --label cultivar --what correlation         on standard output\n"
    "  mercer matrix wine.csv --label cultivar --what gram -o G.npy       J X X' J, N x N\n";

struct MatrixFlags {
  RowFlags rows;
  RunFlags run;
  VarianceFlags variance;
  std::string what = "covariance";
  std::string output = "-";
};

std::vector<OptionValue> matrix_values() {
  std::vector<OptionValue> values;
  for (const DataMatrixEntry& entry : data_matrix_table())
    values.push_back({entry.name, entry.notes});
  return values;
}

/// Names of the rows of a Gram matrix are in the id column, if there is one.
template <class T>
void write_gram(const KeptRows<T>& rows, const Block<T>& all, const Matrix<double>& g,
                const MatrixFlags& flags, int threads) {
  const Schema& schema = rows.schema();
  Sink<double> out(flags.output, numbered("g", g.cols()),
                   {.id = schema.id, .label = schema.label, .threads = threads});
  out.write(g, all.ids, all.labels, all.first_label);
  out.finish();
  stop_if_interrupted();
  out.close();
}

template <class T>
void matrix_of_rows(const MatrixFlags& flags) {
  const DataMatrix what = parse_data_matrix(flags.what);
  FilePlan().reads("DATA", flags.rows.data).writes("--output", flags.output, Content::rows).check();
  ProgressBar bar(!flags.run.quiet);
  FitOptions options = fit_options(flags.variance, flags.rows, flags.run, bar.monitor());
  const ReadOptions reading = read_options(flags.rows, flags.run, options.monitor, options.memory);
  const bool twice = what == DataMatrix::gram || options.missing == Missing::mean;
  KeptRows<T> rows(open<T>(flags.rows.data, reading), options.memory, twice);
  if (what == DataMatrix::gram && !rows.in_memory())
    fail(Errc::out_of_memory,
         "the rows of '{}' do not fit into half of the memory budget, which a Gram matrix needs; "
         "give a larger --memory",
         rows.name());
  note_header(rows.schema(), rows.name(), flags.rows, flags.run);
  const Matrix<double> s = naming(rows.name(), [&] { return data_matrix(rows, what, options); });
  rows.require_unchanged();
  stop_if_interrupted();
  bar.erase();
  if (const Index n = rows.dropped_rows(); n > 0 && !flags.run.quiet)
    say(fmt::format("mercer: note: {} row{} with missing values dropped\n", n, n == 1 ? "" : "s"));
  if (what == DataMatrix::gram) return write_gram(rows, *rows.whole(), s, flags, options.threads);
  const std::vector<std::string>& named = rows.schema().feature_names;
  const std::vector<std::string> names = named.empty() ? numbered("x", s.cols()) : named;
  save({.values = s, .rows = names, .columns = names, .row_kind = "column"}, flags.output);
}

}  // namespace

void add_matrix(CLI::App& app) {
  auto flags = std::make_shared<MatrixFlags>();
  CLI::App& command =
      add_command(app, "matrix", "Compute the covariance, correlation, scatter or Gram matrix",
                  data_matrix_examples);
  add_data(command, flags->rows.data)->required();
  add_choice(command, "--what", flags->what, "", matrix_values(), "the matrix", "Results");
  add_text(command, "-o,--output", flags->output, "FILE",
           "the matrix (.csv .tsv .npy; - for standard output)", "Results");
  add_row_flags(command, flags->rows, Weights::yes, Filling::mean);
  add_variance_flags(command, flags->variance);
  add_precision_flag(command, flags->variance.precision, "precision of the rows");
  add_run_flags(command, flags->run);
  add_help(command);
  command.callback([flags] {
    if (parse_is_float(flags->variance.precision)) matrix_of_rows<float>(*flags);
    else matrix_of_rows<double>(*flags);
  });
}

}  // namespace mercer::cli
