#pragma once
// The rows that belong to a model: opened with its columns, label and id.

#include "flags/options.hpp"
#include "terminal/terminal.hpp"

#include "core/require.hpp"
#include "data/share.hpp"

#include <mercer/data.hpp>
#include <mercer/model.hpp>

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace mercer::cli {

/// Files as one table, or with a team this process's share of it. Refuses files that have not as
/// many feature columns as the model.
template <class T, class Row = T>
std::unique_ptr<Source<Row>> open_for(const Model<T>& model, const std::string& model_path,
                                      const std::vector<std::string>& data, ReadOptions reading,
                                      Team* team = nullptr) {
  reading.like = {model.feature_names(), model.label_column(), model.id_column(), model.inputs()};
  auto source = team ? open_share<Row>(data, reading, *team) : open_parts<Row>(data, reading);
  require(
      source->schema().features == model.inputs(), Errc::bad_data,
      "'{}' has {} feature columns, the model '{}' has {}; choose them with --columns, --label, "
      "--id and --exclude",
      source->name(), source->schema().features, model_path, model.inputs());
  return source;
}

/// Says how many rows were left out.
inline void note_dropped(Index n, bool quiet) {
  if (n > 0 && !quiet)
    say(fmt::format("mercer: note: {} row{} with missing values dropped\n", n, n == 1 ? "" : "s"));
}
template <class T>
void note_dropped(const Source<T>& source, bool quiet) {
  note_dropped(source.dropped_rows(), quiet);
}

/// A level of --flag: 0.99, 0.999.
double parse_level(std::string_view option, std::string_view text);

}  // namespace mercer::cli
