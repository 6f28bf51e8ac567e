#pragma once
// The dots of contour lines: rows of a file with two columns.

#include "flags/memory_budget.hpp"
#include "rows/drawn_rows.hpp"
#include "rows/model_rows.hpp"
#include "terminal/progress_bar.hpp"

#include <mercer/picture.hpp>

namespace mercer::cli {

/// Counts what contour lines of a model take: scores on a grid with a point every two pixels, a
/// block of them and its transform, and the text of the lines.
inline void hold_contour(MemoryBudget& budget, const ModelSize& model, const ContourOptions& how) {
  const double columns = how.size / 2.0 + 1, lines = how.size + 1.0;
  const double chosen = static_cast<double>(
      how.chosen.empty() ? how.components : static_cast<Index>(how.chosen.size()));
  const double panels = chosen > 0 ? chosen : std::min(8.0, model.outputs);
  budget.hold(8 * columns * lines * (panels + 6) + 8 * 2 * 2048 * model.outputs +
              panels * how.levels * 200 * (columns + lines));
}

/// The rows of a file as points with labels: all of them, or some and the outermost where they
/// would be too many.
template <class T>
void read_points(const Model<T>& model, const std::string& model_path, const RowFlags& rows,
                 const RunFlags& run, const MemoryBudget& budget, ContourOptions& options) {
  ProgressBar bar(!run.quiet);
  ReadOptions reading = read_options(rows, run, bar.monitor());
  if (keeps_holes(reading.missing))
    throw UsageError(
        fmt::format("--missing {} is not supported here: use --missing drop, or impute the values",
                    rows.missing));
  reading.block_bytes = budget.block_bytes();
  const auto source = open_for<T, double>(model, model_path, {rows.data}, reading);
  DrawnRows drawn(2, most_drawn_rows(2, budget.share()));
  Matrix<double> outermost(4, 2);
  std::vector<std::string> their_labels(4);
  while (const auto block = source->next()) {
    Matrix<double> points(block->rows.rows(), 2);
    identity_map<double>(2)->apply(block->rows, points);
    for (Index i = 0; i < points.rows(); ++i)
      for (Index side = 0; side < 4; ++side) {
        const Index j = side / 2;
        const double sign = side % 2 == 0 ? 1 : -1;
        if (drawn.seen() + i > 0 && sign * points(i, j) >= sign * outermost(side, j)) continue;
        outermost.row(side) = points.row(i);
        if (block->labels)
          their_labels[static_cast<std::size_t>(side)] =
              (*block->labels)[static_cast<std::size_t>(block->first_label + i)];
      }
    drawn.add(*block, 0, points);
  }
  require(drawn.seen() > 0, Errc::bad_data, "'{}' has no rows", source->name());
  options.points = drawn.numbers();
  options.labels = drawn.labels();
  if (drawn.count() < drawn.seen()) {
    options.points.conservativeResize(drawn.count() + 4, Eigen::NoChange);
    options.points.bottomRows(4) = outermost;
    if (!options.labels.empty())
      options.labels.insert(options.labels.end(), their_labels.begin(), their_labels.end());
  }
  bar.erase();
  note_dropped(*source, run.quiet);
}

}  // namespace mercer::cli
