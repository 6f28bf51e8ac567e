#include "data/csv_problem.hpp"

#include "core/require.hpp"
#include "data/number.hpp"
#include "data/unusable.hpp"

#include <algorithm>
#include <cctype>
#include <limits>

namespace mercer::csv {

namespace {

/// Short enough for one line of a message, and printable.
std::string shortened(std::string_view text) {
  constexpr std::size_t most = 40;
  const bool cut = text.size() > most;
  if (cut) {
    std::size_t size = most;
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;  // UTF-8
    text = text.substr(0, size);
  }
  std::string shown(text);
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return cut ? shown + "…" : shown;
}

/// How to name a column on the command line.
std::string argument(const ColumnPlan& plan, Index column) {
  const auto& names = plan.file_names;
  const auto i = static_cast<std::size_t>(column);
  const bool usable = i < names.size() && std::count(names.begin(), names.end(), names[i]) == 1 &&
                      names[i].find_first_of("',") == std::string::npos;
  if (!usable) return std::to_string(column + 1);
  const bool word = std::all_of(names[i].begin(), names[i].end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
  });
  return word ? names[i] : "'" + names[i] + "'";
}

[[noreturn]] void fail_text(const std::string& text, Index line, Index column,
                            const std::string& place, const Layout& layout,
                            const std::string& file) {
  if (layout.columns == 1 && text.find_first_of(" ;,|:\t") != text.npos)
    fail(Errc::bad_data, "'{}', {}: '{}' is not a number; if it is several cells, set `delimiter`",
         Input(file), place, text);
  const std::string name = argument(layout.plan, column);
  if (line == layout.first_line)
    fail(Errc::bad_data,
         "'{}', {}: '{}' is not a number; for a column of text use `label={}`, `id={}` or "
         "`exclude={}`",
         Input(file), place, text, name, name, name);
  fail(Errc::bad_data,
       "'{}', {}: '{}' is not a number; correct it, or exclude the column with `exclude={}`",
       Input(file), place, text, name);
}

[[noreturn]] void fail_fault(Fault fault, const std::string& place, const std::string& file) {
  const char* what =
      fault == Fault::unfinished ? "a quote is opened here and never closed"
      : fault == Fault::stray_quote
          ? "a quote inside a cell without quotes; put the cell in quotes and write "
            "the inner quote twice"
          : "something follows the closing quote; write a quote inside a quoted cell "
            "twice";
  fail(Errc::bad_data, "'{}', {}: {}", Input(file), place, what);
}

}  // namespace

void fail_problem(const Problem& problem, Index line, const char* end, const Layout& layout,
                  const std::string& file) {
  if (problem.kind == Problem::Kind::ragged) {
    const RowScan row = scan_row(problem.at, end, layout.delimiter, [](const CellSpan&) {});
    const Index cells = row.cells + (row.fault == Fault::none ? 0 : 1);
    fail(Errc::bad_data, "'{}', line {}: {} cell{} where the first row has {}", Input(file), line,
         cells, cells == 1 ? "" : "s", layout.columns);
  }
  const std::string place = fmt::format("line {}, {}", line, layout.plan.describe(problem.column));
  if (problem.kind == Problem::Kind::fault) fail_fault(problem.fault, place, file);

  const CellSpan cell = scan_cell(problem.at, end, layout.delimiter);
  double value = 0;
  const Cell kind = parse_cell(cell.text, value);
  if (problem.kind == Problem::Kind::infinite)
    fail_infinite(file, place,
                  kind == Cell::number ? value : std::numeric_limits<double>::infinity());
  const std::string text = shortened(cell.text);
  if (problem.kind == Problem::Kind::weight) {
    require(kind != Cell::missing, Errc::bad_data,
            "'{}', {}: the row's weight is missing; every row needs one", Input(file), place);
    fail(Errc::bad_data,
         "'{}', {}: '{}' cannot be a row's weight; weights are finite and not negative",
         Input(file), place, text);
  }
  fail_text(text, line, problem.column, place, layout, file);
}

void fail_missing_cells(Index line, Index column, Index count, bool exact, const Layout& layout,
                        const std::string& file) {
  const std::string place = fmt::format("line {}, {}", line, layout.plan.describe(column));
  if (exact) fail_missing(file, place, count);
  fail(Errc::bad_data,
       "'{}', {}: missing value (at least {} in total); drop such rows with `missing=drop` or use "
       "the column mean with `missing=mean`",
       Input(file), place, count);
}

void refuse_binary(const Text& text, const char* before) {
  struct Mark {
    std::string_view bytes;
    const char* meaning;
  };
  static constexpr Mark marks[] = {
      {"\x93NUMPY", "it looks like NPY: use `format=npy`"},
      {"PK\x03\x04", "it looks like a zip or Excel file: export it as CSV"},
      {"\x89HDF", "it looks like HDF5: export it as CSV or NPY"},
      {"PAR1", "it looks like Parquet: export it as CSV or NPY"},
      {"\xff\xfe", "it looks like UTF-16: save it as UTF-8"},
      {"\xfe\xff", "it looks like UTF-16: save it as UTF-8"}};
  const char* control = text.control();
  if (!control || control > before) return;
  const std::string_view window(text.begin(), text.end());
  for (const Mark& mark : marks)
    require(text.consumed() > 0 || !window.starts_with(mark.bytes), Errc::bad_data,
            "'{}' is not text; {}", Input(text.name()), mark.meaning);
  fail(Errc::bad_data, "'{}', line {}: byte {:#04x} found; this is not a text file",
       Input(text.name()), text.line_of(control), static_cast<unsigned char>(*control));
}

}  // namespace mercer::csv
