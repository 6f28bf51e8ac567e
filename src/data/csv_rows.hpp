#pragma once
// A chunk of CSV text into numbers.

#include "data/csv_problem.hpp"

#include <mercer/source.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace mercer::csv {

/// The rows of one chunk. The caller says where the numbers go; there must be room for
/// `most_rows`.
template <class T>
struct ParsedRows {
  T* values = nullptr;
  double* weights = nullptr;  ///< when the file has a column of them
  Index rows = 0;
  Index dropped = 0;
  Index missing = 0;  ///< cells, in all rows
  const char* first_missing = nullptr;
  Index first_missing_column = 0;
  Index first_missing_row = 0;  ///< rows before it
  TextColumn labels;
  TextColumn ids;
  /// Of each column of categories, in the order they came; the cell's value is the place in it.
  std::vector<std::vector<std::string>> levels;
  Problem problem;  ///< the first; parsing stops there
};

/// A row has a newline, and a delimiter or newline for every column; one that has less may be
/// begun.
inline Index most_rows(const Chunk& chunk, const Layout& layout) {
  return std::min<Index>(chunk.lines, (chunk.end - chunk.begin) / layout.columns + 1);
}

/// Missing cells become NaN; rows that have any are left out when `drop`.
template <class T>
void parse_rows(const Chunk& chunk, const Layout& layout, bool drop, ParsedRows<T>& out);

}  // namespace mercer::csv
