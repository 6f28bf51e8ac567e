#pragma once
// What can be wrong with a row, and how to say it.

#include "data/csv_cell.hpp"
#include "data/csv_layout.hpp"

namespace mercer::csv {

struct Problem {
  enum class Kind : unsigned char { none, text, infinite, weight, ragged, fault };
  Kind kind = Kind::none;
  Fault fault = Fault::none;
  const char* at = nullptr;  ///< the cell, or the row when it is ragged
  Index column = 0;          ///< in the file
};

/// Throws what `problem` says. `line`: where `problem.at` is, counted from 1. `end`: of the text.
[[noreturn]] void fail_problem(const Problem& problem, Index line, const char* end,
                               const Layout& layout, const std::string& file);

/// `count`: missing cells found; `exact`: in the whole file.
[[noreturn]] void fail_missing_cells(Index line, Index column, Index count, bool exact,
                                     const Layout& layout, const std::string& file);

/// Throws when the window has bytes that no text has at `before` or earlier.
void refuse_binary(const Text& text, const char* before);

}  // namespace mercer::csv
