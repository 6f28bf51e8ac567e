#include <mercer/features.hpp>

#include "commands/commands.hpp"
#include "core/require.hpp"
#include "flags/file_plan.hpp"
#include "flags/help.hpp"
#include "flags/leading_minus.hpp"
#include "flags/memory_budget.hpp"
#include "flags/options.hpp"
#include "flags/through_model.hpp"
#include "rows/model_rows.hpp"
#include "rows/rows_in_memory.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/progress_bar.hpp"
#include "terminal/summary.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

namespace mercer::cli {

namespace {

constexpr const char* map_examples =
    "  mercer map 'monomials(degree=2)' rings.csv --label class -o phi.csv\n"
    "  mercer map 'polynomial(degree=2)' rings.csv --label class | head\n"
    "  mercer map 'log(petal_length), petal_length*petal_width' iris.csv --label species\n"
    "  mercer map '-x1*x2' rings.csv --label class\n"
    "  mercer map --label class -- '-o^2' DATA               begins like the option -o\n";

struct MapFlags {
  RowFlags rows;
  RunFlags run;
  std::string map;
  std::string output = "-";
  std::string precision = "double";
  std::string memory;
};

template <class T>
void write_features(const MapFlags& flags) {
  FilePlan().reads("DATA", flags.rows.data).writes("--output", flags.output, Content::rows).check();
  require_map(flags.map);
  ProgressBar bar(!flags.run.quiet);
  const std::size_t memory = memory_of(flags.memory);
  ReadOptions reading =
      read_options(flags.rows, flags.run, bar.monitor(), flags.memory.empty() ? 0 : memory);
  MemoryBudget budget(flags.memory);
  const auto source = open<T>(flags.rows.data, reading);
  const Index d = source->schema().features;
  const auto map = parse_map<T>(flags.map, d, source->schema().feature_names);
  const double widest = sizeof(T) * static_cast<double>(std::max(d, map->features()));
  budget.settle(widest, reading.threads);
  // Names take memory too: D of them, of some 32 bytes.
  require(32 * static_cast<double>(map->features()) < static_cast<double>(memory),
          Errc::out_of_memory,
          "{} of {} columns has {} features, too many for one row; use a smaller degree or fewer "
          "columns",
          map->text(), d, map->features());
  note_header(source->schema(), source->name(), flags.rows, flags.run);
  const Schema& schema = source->schema();
  Sink<T> out(
      flags.output,
      map->feature_names(schema.feature_names.empty() ? numbered("x", d) : schema.feature_names),
      {.id = schema.id, .label = schema.label, .threads = reading.threads});
  const Index piece =
      std::max<Index>(1, static_cast<Index>(static_cast<double>(budget.piece_bytes()) / widest));
  Index before = 0;
  while (const auto block = source->next())
    for (Index first = 0; first < block->rows.rows(); first += piece) {
      stop_if_interrupted();
      const Index count = std::min(piece, block->rows.rows() - first);
      const Matrix<T> phi = naming(source->name(), [&] {
        return map_features(
            *map, block->rows.middle(first, count),
            {.threads = reading.threads, .first = before, .names = schema.feature_names});
      });
      out.write(phi, block->ids, block->labels, block->first_label + first);
      before += count;
    }
  if (before == 0) fail(Errc::bad_data, "{} has no rows", Input(source->name()));
  out.finish();
  stop_if_interrupted();
  out.close();
  bar.erase();
  note_dropped(*source, flags.run.quiet);
}

}  // namespace

void add_map(CLI::App& app) {
  auto flags = std::make_shared<MapFlags>();
  CLI::App& command = add_command(app, "map", "Compute explicit features of rows", map_examples);
  std::vector<OptionValue> values;
  for (const MapEntry& entry : map_table()) values.push_back({entry.example, entry.formula});
  CLI::Option* map = add_text(
      command, "EXPR", flags->map, "",
      "a map, such as 'monomials(degree=2)'; after --, one that begins like an option", "Files");
  such_as(map, std::move(values))->required();
  take_leading_minus(command, map);
  add_data(command, flags->rows.data)->required();
  add_text(command, "-o,--output", flags->output, "FILE",
           "the features (.csv .tsv .npy; - for standard output)", "Results");
  add_row_flags(command, flags->rows, Weights::no, Filling::drop);
  add_memory_flag(command, flags->memory);
  add_precision_flag(command, flags->precision, "precision of the arithmetic");
  add_run_flags(command, flags->run);
  add_help(command);
  command.callback([flags] {
    if (parse_is_float(flags->precision)) write_features<float>(*flags);
    else write_features<double>(*flags);
  });
}

}  // namespace mercer::cli
