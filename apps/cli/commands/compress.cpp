#include "commands/commands.hpp"

#include "core/memory.hpp"
#include "flags/help.hpp"
#include "flags/through_model.hpp"
#include "preimages/compressed_file.hpp"
#include "rows/model_rows.hpp"
#include "rows/preimage_rows.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/progress_bar.hpp"

#include <mercer/compress.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

namespace mercer::cli {

namespace {

constexpr const char* compress_examples =
    "  mercer fit rows.npy -k 0.99 -o model.st && mercer compress model.st rows.npy -o rows.mrc\n"
    "  mercer compress model.st rows.csv -o rows.mrc --scores int8    smaller, with a larger "
    "loss\n";

constexpr const char* decompress_examples =
    "  mercer decompress rows.mrc -o rows.npy\n"
    "  mercer decompress rows.mrc | head\n";

struct CompressFlags : ThroughModelFlags {
  PreImageFlags preimage;
  std::string scores = "float16";
};

struct DecompressFlags {
  std::string file;
  std::string output = "-";
  std::string precision = "double";
  std::string memory;
  RunFlags run;
};

std::string loss_words(const Loss& loss) {
  // Rows that do not vary have no variance of which a share could be lost.
  const bool share = loss.fraction_of_variance > 0 || loss.mean_squared_error == 0;
  return fmt::format(
      "mean squared error {:.3g}, {}largest error {:.3g}\n", loss.mean_squared_error,
      share ? fmt::format("{:.3g} of the variance is lost, ", loss.fraction_of_variance) : "",
      loss.largest_error);
}

/// Rows that are encoded together: the rows, their scores, and the decoded rows.
void hold_chunk(MemoryBudget& budget, const ModelSize& model) {
  const auto rows = static_cast<double>(rows_a_chunk(static_cast<Index>(model.inputs)));
  budget.hold(8 * rows * (6 * model.inputs + 4 * model.outputs));
}

CountMemory chunk_memory(const CompressFlags& flags) {
  return [decoder = decoder_memory(flags.preimage)](MemoryBudget& budget, const ModelSize& model) {
    decoder(budget, model);
    hold_chunk(budget, model);
  };
}

template <class T>
void compress_rows(const Model<T>& model, const CompressFlags& flags) {
  ProgressBar bar(!flags.run.quiet);
  ReadOptions reading = read_options(flags.rows, flags.run, bar.monitor());
  CompressOptions options;
  options.scores = parse_score_format(flags.scores);
  options.preimage = preimage_options(flags.preimage, reading.threads);
  settled(model, flags, reading, chunk_memory(flags));
  options.preimage.threads = reading.threads;
  options.missing = reading.missing;
  const auto source = open_like(model, flags, reading);
  const Compressed file = compress(model, *source, flags.output, options);
  bar.erase();
  note_dropped(*source, flags.run.quiet);
  if (flags.run.quiet) return;
  const double bytes = static_cast<double>(file.bytes);
  const double raw = static_cast<double>(file.rows) * static_cast<double>(file.columns) * 8;
  say(fmt::format("{} rows x {} columns in {} ({:.1f} % of {} in double precision; the model {})\n",
                  file.rows, file.columns, format_bytes(bytes), 100 * bytes / raw,
                  format_bytes(raw), format_bytes(static_cast<double>(file.model_bytes))) +
      loss_words(file.loss));
}

template <class T>
void decompress_rows(const DecompressFlags& flags) {
  int threads = static_cast<int>(parse_integer("--threads", flags.run.threads, 0, 4096));
  const auto settle = [&](const ModelSize& model, PreImageOptions options) {
    MemoryBudget budget(flags.memory);
    hold_decoder(budget.hold_model(model), model, options);
    hold_chunk(budget, model);
    budget.settle(8 * model.inputs, options.threads);
    return options.threads;
  };
  DecompressAsks asks;
  asks.before_model = [&](const CompressedFile& file) {
    if (const auto size = size_of_bytes(model_header(file))) settle(*size, file.preimage);
  };
  asks.before_decoder = [&](const Model<double>& model, PreImageOptions& options) {
    threads = options.threads = settle(size_of(model), options);
  };
  Compressed about;
  const auto rows = decompress<T>(flags.file, {.threads = threads}, &about, asks);
  const Schema& schema = rows->schema();
  Sink<T> out(flags.output,
              schema.feature_names.empty() ? numbered("x", schema.features) : schema.feature_names,
              {.id = schema.id, .label = schema.label, .threads = threads});
  while (const auto block = rows->next()) {
    stop_if_interrupted();
    out.write(block->rows.dense(), block->ids, block->labels, block->first_label);
  }
  out.finish();
  stop_if_interrupted();
  out.close();
  if (!flags.run.quiet) say(loss_words(about.loss));
}

}  // namespace

void add_compress(CLI::App& app) {
  auto flags = std::make_shared<CompressFlags>();
  CLI::App& command =
      add_command(app, "compress", "Store rows as scores: a smaller file with a measured loss",
                  compress_examples);
  add_through_model_flags(command, *flags, "DATA",
                          "rows with the model's columns, in any order; - for standard input",
                          "the compressed rows (- for standard output)");
  std::vector<OptionValue> formats;
  for (const ScoreFormat format : {ScoreFormat::float32, ScoreFormat::float16, ScoreFormat::int8})
    formats.push_back({std::string(name_of(format)), ""});
  add_choice(command, "--scores", flags->scores, "", formats, "how scores are stored", "Results");
  add_preimage_flags(command, flags->preimage, false);
  command.callback([flags] {
    files_of(*flags, "DATA", Content::compressed).check();
    std::visit([&](const auto& model) { compress_rows(model, *flags); },
               load_model(*flags, chunk_memory(*flags)));
  });
}

void add_decompress(CLI::App& app) {
  auto flags = std::make_shared<DecompressFlags>();
  CLI::App& command =
      add_command(app, "decompress", "Restore rows from a compressed file", decompress_examples);
  add_text(command, "FILE", flags->file, "", "compressed rows; - for standard input", "Files")
      ->required();
  add_text(command, "-o,--output", flags->output, "FILE",
           "the rows (.csv .tsv .npy; - for standard output)", "Results");
  add_precision_flag(command, flags->precision, "precision of the rows");
  add_memory_flag(command, flags->memory);
  add_run_flags(command, flags->run);
  add_help(command);
  command.callback([flags] {
    FilePlan().reads("FILE", flags->file).writes("--output", flags->output, Content::rows).check();
    if (parse_is_float(flags->precision)) decompress_rows<float>(*flags);
    else decompress_rows<double>(*flags);
  });
}

}  // namespace mercer::cli
