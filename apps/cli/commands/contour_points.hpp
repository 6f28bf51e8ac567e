#pragma once
// The dots of contour lines: rows of a file with two columns.

#include "rows/model_rows.hpp"
#include "terminal/progress_bar.hpp"

#include <mercer/picture.hpp>

namespace mercer::cli {

/// The rows of a file as points with labels.
template <class T>
void read_points(const Model<T>& model, const std::string& model_path, const RowFlags& rows,
                 const RunFlags& run, ContourOptions& options) {
  ProgressBar bar(!run.quiet);
  const ReadOptions reading = read_options(rows, run, bar.monitor());
  if (keeps_holes(reading.missing))
    throw UsageError(
        fmt::format("--missing {} is not supported here: use --missing drop, or impute the values",
                    rows.missing));
  const auto source = open_for<T, double>(model, model_path, rows.data, reading);
  const Table<double> table = read_all(*source);
  options.points = Matrix<double>(table.rows().rows(), 2);
  identity_map<double>(2)->apply(table.rows(), options.points);
  require(options.points.rows() > 0, Errc::bad_data, "'{}' has no rows", source->name());
  for (std::size_t i = 0; i < table.labels.size(); ++i)
    options.labels.emplace_back(table.labels[i]);
  bar.erase();
  note_dropped(*source, run.quiet);
}

}  // namespace mercer::cli
