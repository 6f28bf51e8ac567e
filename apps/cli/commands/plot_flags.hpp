#pragma once
// What the kinds of `mercer plot` share: the flags, the memory and the rows that are drawn.

#include "flags/file_plan.hpp"
#include "flags/memory_budget.hpp"
#include "flags/options.hpp"
#include "rows/drawn_rows.hpp"
#include "rows/numbered_rows.hpp"
#include "rows/rows_in_memory.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/progress_bar.hpp"

#include <mercer/picture.hpp>

#include <algorithm>
#include <string>

namespace mercer::cli {

struct PlotFlags {
  RowFlags rows;
  RunFlags run;
  std::string model;
  std::string kind;
  std::string output;
  std::string components;
  std::string title;
  std::string width, height;
  std::string level = "0.99";
  std::string reference;
  std::string levels = "9";
  std::string memory;
  std::string image_width;
  bool ellipses = false;
  bool center = false;
};

/// What the kind of plot takes of `--memory`, and what that leaves.
MemoryBudget settled(const ModelSize& model, const PlotFlags& flags, int& threads);

/// Sends every block of the rows through `numbers_of`, a piece at a time.
template <class T, class NumbersOf>
DrawnRows drawn_rows(const Model<T>& model, const PlotFlags& flags, Index width,
                     const NumbersOf& numbers_of) {
  ProgressBar bar(!flags.run.quiet);
  ReadOptions reading = read_options(flags.rows, flags.run, bar.monitor());
  const MemoryBudget budget = settled(size_of(model), flags, reading.threads);
  reading.block_bytes = budget.block_bytes();
  const NumberedRows<T> rows = open_numbered(model, flags.model, {flags.rows.data}, reading);
  const auto& source = rows.source;
  DrawnRows drawn(width, most_drawn_rows(width, budget.share()));
  const Index piece = std::max<Index>(256, static_cast<Index>(budget.piece_bytes() / 8) / width);
  while (const auto block = source->next())
    for (Index first = 0; first < block->rows.rows(); first += piece) {
      stop_if_interrupted();
      const Index count = std::min(piece, block->rows.rows() - first);
      const Matrix<double> numbers = naming(
          source->name(), [&] { return numbers_of(block->rows.middle(first, count), reading); });
      drawn.add(*block, first, numbers, rows.numbers());
    }
  bar.erase();
  require(drawn.count() > 0, Errc::bad_data, "'{}' has no rows", source->name());
  note_dropped(*source, flags.run.quiet);
  return drawn;
}

}  // namespace mercer::cli
