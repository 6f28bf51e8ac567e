#pragma once
// What the first rows tell about a CSV file: its delimiter, whether it has a header, its columns.

#include "data/columns.hpp"
#include "data/csv_text.hpp"

#include <mercer/data.hpp>

#include <vector>

namespace mercer::csv {

/// Neighbouring columns with the same role.
struct Run {
  Role role;
  Index count;
};

struct Layout {
  char delimiter = ',';
  ColumnPlan plan;
  std::vector<Run> runs;  ///< the last column of the file is always a separate run
  Index columns = 0;      ///< in the file
  Index first_line = 0;   ///< line of the first data row, counted from 1
};

/// Reads the first rows and moves the text to the first data row.
///
/// The first row is a header when it has text (neither a number nor a missing token) in some
/// column and
///   - text stands above a number, or
///   - the row has no numbers at all, or
///   - a text is a column name that the options ask for.
/// It is one too when its numbers, two or more, are whole and count up by 1 and those of the next
/// row do not; of two or three, the first must be 0 or a year and the next row have a fraction.
///
/// Without a given delimiter it is the comma; but when the first row has none, a semicolon, tab or
/// bar that cuts the first two rows into equally many cells takes its place.
Layout find_layout(Text& text, const ReadOptions& options);

}  // namespace mercer::csv
