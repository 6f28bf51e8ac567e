#include <mercer/named_matrix.hpp>

#include "core/require.hpp"
#include "data/npy_header.hpp"
#include "data/shortest.hpp"
#include "data/sink.hpp"

#include <mercer/data.hpp>

#include <algorithm>
#include <vector>

namespace mercer {

namespace {

/// A one-dimensional array: the header of a `Sink` has two dimensions.
template <class T>
void save_vector(const Vector<T>& values, const std::string& path) {
  constexpr std::size_t size = 128, before = 10;
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(size - before);
  out += '\0';
  out += fmt::format("{{'descr': '{}f{}', 'fortran_order': False, 'shape': ({},), }}",
                     npy_native_order, sizeof(T), values.size());
  out.resize(size - 1, ' ');
  out += '\n';
  out.append(reinterpret_cast<const char*>(values.data()),
             static_cast<std::size_t>(values.size()) * sizeof(T));
  ByteSink file(path, false);
  file.write(out);
  file.finish();
  file.publish();
}

template <class T>
void save_as(const NamedMatrix& matrix, const std::string& path) {
  const Matrix<T> values = matrix.values.cast<T>();
  std::string end = path.size() < 4 ? "" : path.substr(path.size() - 4);
  std::ranges::transform(end, end.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  if (matrix.vector && end == ".npy") return save_vector<T>(values.col(0), path);
  TextColumn names;
  for (const std::string& name : matrix.rows) names.push_back(name);
  Sink<T> out(path, matrix.columns, {.id = matrix.rows.empty() ? "" : matrix.row_kind});
  out.write(values, matrix.rows.empty() ? nullptr : &names);
  out.close();
}

std::string shortest_text(double value, bool single) {
  char text[longest_number];
  const char* const end =
      single ? write_shortest(static_cast<float>(value), text) : write_shortest(value, text);
  return {text, static_cast<std::size_t>(end - text)};
}

/// Columns of a terminal: code points, as names are text of files.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

void save(const NamedMatrix& matrix, const std::string& path) {
  require(
      static_cast<Index>(matrix.columns.size()) == matrix.values.cols() &&
          (matrix.rows.empty() || static_cast<Index>(matrix.rows.size()) == matrix.values.rows()),
      Errc::bad_option, "a matrix of {} rows and {} columns has {} and {} names",
      matrix.values.rows(), matrix.values.cols(), matrix.rows.size(), matrix.columns.size());
  if (matrix.single) save_as<float>(matrix, path);
  else save_as<double>(matrix, path);
}

std::string to_text(const NamedMatrix& matrix) {
  const Index rows = matrix.values.rows(), cols = matrix.values.cols();
  std::vector<std::vector<std::string>> cells(static_cast<std::size_t>(cols) + 1);
  if (!matrix.rows.empty()) {
    cells[0].push_back(matrix.row_kind);
    cells[0].insert(cells[0].end(), matrix.rows.begin(), matrix.rows.end());
  }
  for (Index j = 0; j < cols; ++j) {
    auto& column = cells[static_cast<std::size_t>(j) + 1];
    column.push_back(matrix.columns[static_cast<std::size_t>(j)]);
    for (Index i = 0; i < rows; ++i)
      column.push_back(shortest_text(matrix.values(i, j), matrix.single));
  }
  std::vector<std::size_t> widths;
  for (const auto& column : cells) {
    std::size_t widest = 0;
    for (const std::string& cell : column) widest = std::max(widest, width_of(cell));
    widths.push_back(widest);
  }
  std::string text;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(rows); ++i) {
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (cells[c].empty()) continue;
      const std::string& cell = cells[c][i];
      const std::string blank(widths[c] - width_of(cell), ' ');
      if (!text.empty() && text.back() != '\n') text += "  ";
      text += c == 0 ? cell + blank : blank + cell;
    }
    text += '\n';
  }
  return text;
}

}  // namespace mercer
