#pragma once
// One cell of CSV text, by RFC 4180: a cell that begins with a quote ends at the next single one,
// may hold delimiters and newlines, and writes a quote as two. Blanks around the quotes are
// forgiven. A quote inside an unquoted cell is a fault: with it, nobody could tell from the middle
// of a file whether a newline ends a row.

#include <mercer/matrix.hpp>

#include <cstring>
#include <string>
#include <string_view>

namespace mercer::csv {

enum class Fault : unsigned char {
  none,
  unfinished,   ///< the text ends inside the cell
  stray_quote,  ///< a quote inside an unquoted cell
  after_quote,  ///< something between the closing quote and the delimiter
};

struct CellSpan {
  std::string_view text;  ///< without the outer quotes
  const char* stop;       ///< the delimiter or newline that ends it
  bool quoted = false;
  bool doubled = false;  ///< holds quotes that are written twice
  Fault fault = Fault::none;
};

inline bool is_blank(char c, char delimiter) { return (c == ' ' || c == '\t') && c != delimiter; }

inline const char* skip_blanks(const char* p, const char* end, char delimiter) {
  while (p < end && is_blank(*p, delimiter)) ++p;
  return p;
}

/// [begin, stop) without the carriage return of a CRLF.
inline std::string_view unquoted(const char* begin, const char* stop) {
  if (*stop == '\n' && stop > begin && stop[-1] == '\r') --stop;
  return {begin, static_cast<std::size_t>(stop - begin)};
}

/// The cell whose opening quote is at `open`.
inline CellSpan scan_quoted(const char* open, const char* end, char delimiter) {
  CellSpan cell{{}, end, true, false, Fault::unfinished};
  const char* p = open + 1;
  for (;;) {
    p = static_cast<const char*>(std::memchr(p, '"', static_cast<std::size_t>(end - p)));
    if (!p) return cell;
    if (p + 1 == end || p[1] != '"') break;
    cell.doubled = true;
    p += 2;
  }
  cell.text = {open + 1, static_cast<std::size_t>(p - open - 1)};
  p = skip_blanks(p + 1, end, delimiter);
  if (p < end && *p == '\r' && (p + 1 == end || p[1] == '\n')) ++p;
  if (p == end) return cell;
  cell.stop = p;
  cell.fault = *p == delimiter || *p == '\n' ? Fault::none : Fault::after_quote;
  return cell;
}

/// The cell that begins at `begin`, of any kind.
inline CellSpan scan_cell(const char* begin, const char* end, char delimiter) {
  const char* ink = skip_blanks(begin, end, delimiter);
  if (ink < end && *ink == '"') return scan_quoted(ink, end, delimiter);
  CellSpan cell{{}, end, false, false, Fault::unfinished};
  for (const char* p = begin; p < end; ++p) {
    if (*p == delimiter || *p == '\n') {
      cell.text = unquoted(begin, p);
      cell.stop = p;
      cell.fault = Fault::none;
      return cell;
    }
    if (*p == '"') {
      cell.fault = Fault::stray_quote;
      return cell;
    }
  }
  return cell;
}

/// The text a cell stands for, into `out`.
inline void assign_content(const CellSpan& cell, std::string& out) {
  if (!cell.doubled) {
    out.assign(cell.text);
    return;
  }
  out.clear();
  for (std::size_t i = 0; i < cell.text.size(); ++i) {
    out.push_back(cell.text[i]);
    if (cell.text[i] == '"') ++i;
  }
}

struct RowScan {
  const char* begin = nullptr;
  Index cells = 0;
  const char* next = nullptr;      ///< behind its newline; null when there was a fault
  const char* fault_at = nullptr;  ///< the cell with the fault
  Fault fault = Fault::none;
};

/// Gives every cell of the row at `begin` to `use`, up to the first fault.
template <class Use>
RowScan scan_row(const char* begin, const char* end, char delimiter, Use&& use) {
  RowScan row;
  row.begin = begin;
  for (const char* p = begin;;) {
    const CellSpan cell = scan_cell(p, end, delimiter);
    if (cell.fault != Fault::none) {
      row.fault = cell.fault;
      row.fault_at = p;
      return row;
    }
    ++row.cells;
    use(cell);
    p = cell.stop + 1;
    if (*cell.stop == '\n') {
      row.next = p;
      return row;
    }
  }
}

}  // namespace mercer::csv
