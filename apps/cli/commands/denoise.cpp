#include "commands/commands.hpp"

#include "flags/help.hpp"
#include "flags/through_model.hpp"
#include "rows/model_rows.hpp"
#include "rows/preimage_rows.hpp"
#include "terminal/progress_bar.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

namespace mercer::cli {

namespace {

constexpr const char* denoise_examples =
    "  mercer denoise digits.st noisy.csv -o clean.csv      project each row onto the components\n"
    "  mercer denoise digits.st noisy.csv -o clean.csv --distances quality.csv\n"
    "  mercer denoise wine.st new.csv --label cultivar | head\n";

struct DenoiseFlags : ThroughModelFlags {
  PreImageFlags preimage;
};

template <class T>
void denoise_rows(const Model<T>& model, const DenoiseFlags& flags) {
  ProgressBar bar(!flags.run.quiet);
  ReadOptions reading = read_options(flags.rows, flags.run, bar.monitor());
  const MemoryBudget budget = settled(model, flags, reading, decoder_memory(flags.preimage));
  PreImageRows<T> out(model, flags.preimage, reading.threads, budget.piece_bytes());
  const auto source = open_like(model, flags, reading);
  out.open(flags.output, source->schema());
  while (const auto block = source->next())
    for (Index first = 0; first < block->rows.rows(); first += out.piece()) {
      const Index count = std::min(out.piece(), block->rows.rows() - first);
      out.write(block->rows.middle(first, count), reading.missing, *block,
                block->first_label + first);
    }
  out.close();
  bar.erase();
  note_dropped(*source, flags.run.quiet);
  if (!flags.run.quiet) say(out.words());
}

}  // namespace

void add_denoise(CLI::App& app) {
  auto flags = std::make_shared<DenoiseFlags>();
  CLI::App& command =
      add_command(app, "denoise", "Project rows onto the components and back", denoise_examples);
  add_through_model_flags(command, *flags, "DATA",
                          "rows with the model's columns, in any order; - for standard input",
                          "the rows (.csv .tsv .npy; - for standard output)");
  add_preimage_flags(command, flags->preimage);
  add_choice(command, "--start", flags->preimage.start, "",
             {{"ridge", "the ridge estimate"}, {"row", "the noisy row itself"}},
             "where the fixed-point iteration starts", "Pre-images");
  command.callback([flags] {
    files_of(*flags, "DATA")
        .writes("--distances", flags->preimage.distances, Content::rows)
        .check();
    std::visit([&](const auto& model) { denoise_rows(model, *flags); },
               load_model(*flags, decoder_memory(flags->preimage)));
  });
}

}  // namespace mercer::cli
