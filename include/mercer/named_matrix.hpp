#pragma once
/// \file
/// A matrix with names of its rows and columns, and its file.
///
///     mercer::NamedMatrix table{.values = x, .rows = {}, .columns = {"a", "b"}};
///     mercer::save(table, "table.csv");

#include <mercer/matrix.hpp>

#include <string>
#include <vector>

namespace mercer {

struct NamedMatrix {
  Matrix<double> values;
  std::vector<std::string> rows;     ///< empty: rows have no names
  std::vector<std::string> columns;  ///< one per column
  std::string row_kind = "name";     ///< header of the names of rows: "column", "component", …
  bool vector = false;  ///< one column, which NPY files contain as a one-dimensional array
  bool single = false;  ///< each value is a float, and is written as one
};

/// Writes `.csv` and `.tsv` with names, `.npy` without; "-": CSV on standard output. Numbers are
/// written in the shortest form that reads back exactly, and the file atomically.
void save(const NamedMatrix& matrix, const std::string& path);

/// Names, and the same numbers, in aligned columns.
std::string to_text(const NamedMatrix& matrix);

}  // namespace mercer
