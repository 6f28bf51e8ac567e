#include "data/csv_layout.hpp"

#include "core/require.hpp"
#include "data/csv_problem.hpp"
#include "data/number.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace mercer::csv {

namespace {

constexpr std::size_t sample_bytes = std::size_t{256} << 10;
constexpr Index most_columns = 1 << 21;

struct Row {
  std::vector<std::string> cells;
  std::vector<Cell> kinds;
  std::size_t end = 0;  // where the next one begins, from the beginning of the window
};

class Opening {
 public:
  Opening(Text& text, const ReadOptions& options) : text_(text), options_(options) {}

  Layout layout() {
    text_.fill(sample_bytes);
    refuse_binary(text_, text_.end());
    constexpr std::string_view utf8_mark = "\xef\xbb\xbf";
    if (std::string_view(text_.begin(), text_.end()).starts_with(utf8_mark))
      text_.advance(text_.begin() + utf8_mark.size(), 0);
    skip_blank_lines(options_.delimiter);
    require(text_.begin() != text_.end(), Errc::bad_data, "'{}' is empty", Input(text_.name()));

    Layout layout;
    layout.delimiter = delimiter();
    const Row first = first_row(layout.delimiter);
    layout.columns = static_cast<Index>(first.cells.size());
    const bool named = has_header(first, layout.delimiter);
    if (named) {
      text_.advance(text_.begin() + first.end, text_.line_of(text_.begin() + first.end) - 1);
      skip_blank_lines(layout.delimiter);
      require(text_.begin() != text_.end(), Errc::bad_data, "'{}' has a header but no rows",
              Input(text_.name()));
    }
    layout.first_line = text_.line() + 1;
    layout.plan = plan_columns(layout.columns, named ? first.cells : std::vector<std::string>{},
                               options_, text_.name());
    add_runs(layout);
    // Looks again: the window begins elsewhere now. A live pipe is not waited for.
    text_.fill(options_.live && !text_.can_rewind() ? 0 : sample_bytes, sample_bytes);
    return layout;
  }

 private:
  // Leaves the window at the first line with ink, or empty at the end of the text.
  void skip_blank_lines(char delimiter) {
    const auto nothing = [&](char c) { return c == '\n' || c == '\r' || is_blank(c, delimiter); };
    for (;;) {
      const char* ink = text_.begin();
      while (ink < text_.end() && nothing(*ink)) ++ink;
      // Blanks before the ink belong to its line: they may be cells.
      const char* line = ink;
      while (line > text_.begin() && line[-1] != '\n') --line;
      if (ink == text_.end() && text_.complete()) line = ink;
      text_.advance(line, text_.line() + count_lines(text_.begin(), line));
      if (ink < text_.end() || text_.complete()) return;
      text_.grow(text_.begin());
    }
  }

  /// Looks at the row that begins `offset` behind the window's beginning, blank lines passed over,
  /// and makes the window longer when it has to. No cells: the end.
  RowScan scan_at(std::size_t offset, char delimiter) {
    for (;;) {
      const char* begin = text_.begin() + offset;
      while (begin < text_.end() && (*begin == '\n' || *begin == '\r')) ++begin;
      if (begin == text_.end() && text_.complete()) return {};
      const RowScan row = scan_row(begin, text_.end(), delimiter, [](const CellSpan&) {});
      if (row.fault != Fault::unfinished || text_.complete()) return row;
      text_.grow(begin);
    }
  }

  Row first_row(char delimiter) {
    const RowScan scan = scan_at(0, delimiter);
    if (scan.fault != Fault::none) {
      Layout unknown;
      unknown.delimiter = delimiter;
      fail_problem({Problem::Kind::fault, scan.fault, scan.fault_at, scan.cells},
                   text_.line_of(scan.fault_at), text_.end(), unknown, text_.name());
    }
    require(scan.cells <= most_columns, Errc::bad_data, "'{}', line {}: more than {} columns",
            Input(text_.name()), text_.line() + 1, most_columns);
    return row(scan, delimiter);
  }

  Row row(const RowScan& scan, char delimiter) const {
    Row row;
    row.end = static_cast<std::size_t>(scan.next - text_.begin());
    scan_row(scan.begin, scan.next, delimiter, [&](const CellSpan& cell) { add_cell(cell, row); });
    return row;
  }

  static void add_cell(const CellSpan& cell, Row& row) {
    std::string text;
    assign_content(cell, text);
    double ignored;
    row.kinds.push_back(parse_cell(text, ignored));
    if (!cell.quoted) {  // blanks around a name are hard to see and to type
      text.erase(text.find_last_not_of(" \t") + 1);
      text.erase(0, text.find_first_not_of(" \t"));
    }
    row.cells.push_back(std::move(text));
  }

  char delimiter() {
    const char given = options_.delimiter;
    if (given != 0) {
      const bool plain = std::isalnum(static_cast<unsigned char>(given)) == 0 &&
                         std::string_view("\"\n\r.+-").find(given) == std::string_view::npos;
      require(plain && !is_control(given), Errc::bad_option,
              "`delimiter={}` cannot separate numbers; use one of , ; | a tab or a blank",
              std::isprint(static_cast<unsigned char>(given)) != 0
                  ? fmt::format("'{}'", given)
                  : fmt::format("{:#04x}", static_cast<unsigned char>(given)));
      return given;
    }
    if (scan_at(0, ',').cells > 1) return ',';
    for (const char candidate : {';', '\t', '|'}) {
      const RowScan first = scan_at(0, candidate);
      if (first.fault != Fault::none || first.cells < 2) continue;
      const RowScan second =
          scan_at(static_cast<std::size_t>(first.next - text_.begin()), candidate);
      if (second.cells == first.cells || second.cells == 0) return candidate;
    }
    return ',';
  }

  bool asked_for(const std::string& name) const {
    const auto& like = options_.like;
    return name == options_.label || name == options_.id || name == options_.weights ||
           name == like.label || name == like.id ||
           std::find(like.features.begin(), like.features.end(), name) != like.features.end();
  }

  /// Names such as 0,1,2,3 (a data frame without names) or 2019,2020,2021 above other numbers.
  bool counts_up(const Row& first, char delimiter) {
    if (numbers_of(first) < 2 || !consecutive(first, first)) return false;
    if (names_of_the_model(first)) return true;
    const RowScan below = scan_at(first.end, delimiter);
    if (below.cells != static_cast<Index>(first.cells.size()) || below.fault != Fault::none)
      return false;
    const Row second = row(below, delimiter);
    if (consecutive(first, second)) return false;
    // Two or three integers may count up by chance; from 0 or a year on, above fractions, they
    // hardly do.
    constexpr int beyond_chance = 4;
    return numbers_of(first) >= beyond_chance || (has_fraction(first, second) && named(first));
  }

  bool names_of_the_model(const Row& first) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < first.cells.size(); ++i)
      if (first.kinds[i] == Cell::number) names.push_back(first.cells[i]);
    return names == options_.like.features;
  }

  static int numbers_of(const Row& row) {
    return static_cast<int>(std::ranges::count(row.kinds, Cell::number));
  }

  /// Where `first` has numbers, `row` has whole ones in digits alone, each one more than the one
  /// before; elsewhere `first` has text.
  static bool consecutive(const Row& first, const Row& row) {
    constexpr std::size_t most_digits = 15;
    long long before = -1;
    for (std::size_t i = 0; i < first.cells.size(); ++i) {
      if (first.kinds[i] == Cell::text) continue;
      const std::string& cell = row.cells[i];
      if (first.kinds[i] != Cell::number || cell.empty() || cell.size() > most_digits ||
          !std::ranges::all_of(cell, [](char c) { return c >= '0' && c <= '9'; }))
        return false;
      const long long number = std::stoll(cell);
      if (before >= 0 && number != before + 1) return false;
      before = number;
    }
    return true;
  }

  /// The first number is 0, or has four digits as a year has.
  static bool named(const Row& first) {
    for (std::size_t i = 0; i < first.cells.size(); ++i)
      if (first.kinds[i] == Cell::number)
        return first.cells[i] == "0" || first.cells[i].size() == 4;
    return false;
  }

  static bool has_fraction(const Row& first, const Row& row) {
    for (std::size_t i = 0; i < first.cells.size(); ++i)
      if (first.kinds[i] == Cell::number && row.kinds[i] == Cell::number &&
          row.cells[i].find_first_of(".eE") != std::string::npos)
        return true;
    return false;
  }

  bool has_header(const Row& first, char delimiter) {
    if (options_.header != Header::automatic) return options_.header == Header::yes;
    const auto& kinds = first.kinds;
    if (counts_up(first, delimiter)) return true;
    if (std::find(kinds.begin(), kinds.end(), Cell::text) == kinds.end()) return false;
    const auto numeric = [](Cell kind) { return kind == Cell::number || kind == Cell::infinite; };
    if (std::none_of(kinds.begin(), kinds.end(), numeric)) return true;
    for (std::size_t i = 0; i < kinds.size(); ++i)
      if (kinds[i] == Cell::text && asked_for(first.cells[i])) return true;
    const RowScan below = scan_at(first.end, delimiter);
    if (below.cells == 0 || below.cells > most_columns || below.fault != Fault::none) return false;
    const Row second = row(below, delimiter);
    for (std::size_t i = 0; i < std::min(kinds.size(), second.kinds.size()); ++i)
      if (kinds[i] == Cell::text && numeric(second.kinds[i])) return true;
    return false;
  }

  static void add_runs(Layout& layout) {
    const std::vector<Role>& roles = layout.plan.roles;
    for (std::size_t i = 0; i < roles.size(); ++i) {
      const bool last = i + 1 == roles.size();
      if (i > 0 && !last && roles[i] == layout.runs.back().role) ++layout.runs.back().count;
      else layout.runs.push_back({roles[i], 1});
    }
  }

  Text& text_;
  const ReadOptions& options_;
};

}  // namespace

Layout find_layout(Text& text, const ReadOptions& options) {
  return Opening(text, options).layout();
}

}  // namespace mercer::csv
