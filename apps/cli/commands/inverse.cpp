#include "commands/commands.hpp"

#include "core/require.hpp"
#include "flags/help.hpp"
#include "flags/options.hpp"
#include "flags/through_model.hpp"
#include "rows/preimage_rows.hpp"
#include "terminal/progress_bar.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>

namespace mercer::cli {

namespace {

constexpr const char* inverse_examples =
    "  mercer inverse wine.st scores.csv -o again.csv       rows from scores\n"
    "  mercer inverse rbf.st scores.csv -o rows.csv --distances quality.csv      pre-images\n"
    "  mercer inverse rbf.st scores.csv --method ridge | head\n";

struct InverseFlags : ThroughModelFlags {
  PreImageFlags preimage;
};

/// 0 for "pc1"; nothing for any other kind of name.
std::optional<Index> component_named(std::string_view name) {
  if (!name.starts_with("pc")) return std::nullopt;
  Index number = 0;
  const char* end = name.data() + name.size();
  const auto [rest, status] = std::from_chars(name.data() + 2, end, number);
  if (status != std::errc{} || rest != end || number < 1 || name[2] == '0') return std::nullopt;
  return number - 1;
}

/// The component that each score column belongs to.
std::vector<Index> components_of(const Schema& schema, Index k, const std::string& file,
                                 const std::string& model) {
  std::vector<Index> components;
  if (schema.feature_names.empty()) {
    require(
        schema.features == k, Errc::bad_data,
        "'{}' has {} columns without names, the model '{}' has {} components; name them pc1 ... to "
        "give only some",
        file, schema.features, model, k);
    for (Index i = 0; i < k; ++i) components.push_back(i);
    return components;
  }
  for (const std::string& name : schema.feature_names) {
    const auto component = component_named(name);
    require(component.has_value(), Errc::bad_data,
            "column '{}' of '{}' is not a score (pc1 ... pc{}); carry it along with --label or "
            "--id, or "
            "--exclude it",
            name, file, k);
    require(*component < k, Errc::bad_data,
            "'{}' has a column '{}', but the model '{}' has {} component{}", file, name, model, k,
            k == 1 ? "" : "s");
    require(std::find(components.begin(), components.end(), *component) == components.end(),
            Errc::bad_data, "'{}' has two columns '{}'", file, name);
    components.push_back(*component);
  }
  return components;
}

template <class T>
void inverse_rows(const Model<T>& model, const InverseFlags& flags) {
  ProgressBar bar(!flags.run.quiet);
  ReadOptions reading = read_options(flags.rows, flags.run, bar.monitor());
  // Throws, before files are opened, if the model has no pre-images.
  const MemoryBudget budget = settled(model, flags, reading, decoder_memory(flags.preimage));
  PreImageRows<T> out(model, flags.preimage, reading.threads, budget.piece_bytes());
  reading.like = {{}, model.label_column(), model.id_column(), 0};
  const auto source = open<T>(flags.rows.data, reading);
  const Schema& schema = source->schema();
  require(!schema.sparse, Errc::bad_data, "'{}' is sparse; scores are dense (.csv .tsv .npy)",
          source->name());
  const std::vector<Index> components =
      components_of(schema, model.outputs(), source->name(), flags.model);
  const auto given = static_cast<Index>(components.size());
  if (given < model.outputs() && !flags.run.quiet)
    say(fmt::format("mercer: note: '{}' has {} of the {} components; the others count as 0\n",
                    source->name(), given, model.outputs()));

  out.open(flags.output, schema);
  const Index piece = out.piece();
  Matrix<T> scores;
  while (const auto block = source->next()) {
    for (Index first = 0; first < block->rows.rows(); first += piece) {
      const Index count = std::min(piece, block->rows.rows() - first);
      scores.setZero(count, model.outputs());
      const auto part = block->rows.middle(first, count).dense();
      for (Index j = 0; j < given; ++j)
        scores.col(components[static_cast<std::size_t>(j)]) = part.col(j);
      // The mean of every score is 0: that is what --missing mean puts into an empty cell.
      if (keeps_holes(reading.missing))
        scores = scores.unaryExpr([](T s) { return std::isnan(s) ? T{0} : s; });
      out.write(scores, *block, block->first_label + first);
    }
  }
  out.close();
  bar.erase();
  if (!flags.run.quiet) say(out.words());
}

}  // namespace

void add_inverse(CLI::App& app) {
  auto flags = std::make_shared<InverseFlags>();
  CLI::App& command =
      add_command(app, "inverse", "Map scores back to the columns of the data", inverse_examples);
  add_through_model_flags(command, *flags, "SCORES",
                          "columns pc1 ... pck, or some of them; - for standard input",
                          "the rows (.csv .tsv .npy; - for standard output)");
  add_preimage_flags(command, flags->preimage);
  command.callback([flags] {
    files_of(*flags, "SCORES")
        .writes("--distances", flags->preimage.distances, Content::rows)
        .check();
    std::visit([&](const auto& model) { inverse_rows(model, *flags); },
               load_model(*flags, decoder_memory(flags->preimage)));
  });
}

}  // namespace mercer::cli
