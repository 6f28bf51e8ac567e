#include "data/mtx_assemble.hpp"

#include "data/shortest.hpp"
#include "data/sparse_table.hpp"
#include "data/unnamed.hpp"
#include "data/unusable.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mercer {

namespace {

std::string place(Index row, Index column) {
  return fmt::format("row {}, column {}", row + 1, column + 1);
}

/// A counting sort by row: entries that come row by row or column by column are then in order.
template <class T>
Csr<T> by_rows(const std::vector<MtxEntry<T>>& entries, Index rows, Index cols) {
  Csr<T> x;
  x.cols = cols;
  // Shifted by one place, so that what counts the entries ends up as the offsets.
  x.offsets.assign(static_cast<std::size_t>(rows) + 2, 0);
  for (const MtxEntry<T>& entry : entries) ++x.offsets[static_cast<std::size_t>(entry.row) + 2];
  for (std::size_t r = 2; r < x.offsets.size(); ++r) x.offsets[r] += x.offsets[r - 1];
  x.columns.resize(entries.size());
  x.values.resize(entries.size());
  for (const MtxEntry<T>& entry : entries) {
    const auto to = static_cast<std::size_t>(x.offsets[static_cast<std::size_t>(entry.row) + 1]++);
    x.columns[to] = entry.column;
    x.values[to] = entry.value;
  }
  x.offsets.pop_back();
  return x;
}

/// Orders each row by column and sums entries at the same place.
template <class T>
void merge_duplicates(Csr<T>& x, const std::string& file) {
  std::vector<std::pair<std::int32_t, T>> row;
  std::size_t to = 0;
  for (std::size_t r = 0, begin = 0; r + 1 < x.offsets.size(); ++r) {
    const auto end = static_cast<std::size_t>(x.offsets[r + 1]);
    row.clear();
    for (std::size_t i = begin; i < end; ++i) row.emplace_back(x.columns[i], x.values[i]);
    const auto by_column = [](const auto& a, const auto& b) { return a.first < b.first; };
    if (!std::is_sorted(row.begin(), row.end(), by_column))
      std::stable_sort(row.begin(), row.end(), by_column);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0 && row[i].first == row[i - 1].first) {
        x.values[to - 1] += row[i].second;
        if (std::isinf(x.values[to - 1]))
          fail(Errc::bad_data, "'{}', {}: the entries at this position sum to infinity",
               Input(file), place(static_cast<Index>(r), row[i].first));
      } else {
        x.columns[to] = row[i].first;
        x.values[to++] = row[i].second;
      }
    }
    x.offsets[r + 1] = static_cast<std::int64_t>(to);
    begin = end;
  }
  x.columns.resize(to);
  x.values.resize(to);
}

/// A dense array and how to look a cell up in it.
template <class T>
struct Cells {
  const std::vector<T>& values;
  MtxArray shape;

  T operator()(Index row, Index column) const {
    if (shape.symmetry == Symmetry::general) return at(column * shape.rows + row);
    if (row == column && shape.symmetry == Symmetry::skew) return T(0);
    const bool mirrored = row < column;
    const T value = at(lower(std::max(row, column), std::min(row, column)));
    return mirrored && shape.symmetry == Symmetry::skew ? -value : value;
  }

 private:
  /// Where the lower triangle, listed by columns, has an entry.
  Index lower(Index row, Index column) const {
    const Index above = shape.symmetry == Symmetry::skew ? 1 : 0;  // no diagonal
    return column * shape.rows - column * (column - 1) / 2 - above * column + row - column - above;
  }
  T at(Index i) const { return values[static_cast<std::size_t>(i)]; }
};

}  // namespace

template <class T>
Table<T> assemble_coordinates(std::vector<MtxEntry<T>> entries, Index rows, Index cols,
                              const ReadOptions& options, const std::string& file) {
  Table<T> table;
  table.sparse = by_rows(entries, rows, cols);
  entries = {};
  merge_duplicates(table.sparse, file);
  finish_sparse(table, options, file);
  return table;
}

template <class T>
Table<T> assemble_array(const std::vector<T>& values, const MtxArray& shape,
                        const ReadOptions& options, const std::string& file) {
  const Cells<T> cell{values, shape};
  const std::optional<ColumnPlan> plan = plan_unnamed(shape.cols, options, file);
  const Index width = plan ? plan->schema.features : shape.cols;
  Table<T> table;
  if (plan) table.schema = plan->schema;
  table.schema.features = width;
  table.x.resize(shape.rows, width);
  const auto column_of = [&](Role role) -> Index {
    if (!plan) return -1;
    const auto at = std::find(plan->roles.begin(), plan->roles.end(), role);
    return at == plan->roles.end() ? -1 : at - plan->roles.begin();
  };
  const Index label = column_of(Role::label);
  const Index id = column_of(Role::id);
  const Index weight = column_of(Role::weight);
  std::string first;
  Index found = 0;
  Index rows = 0;
  for (Index r = 0; r < shape.rows; ++r) {
    Index gone = 0;
    for (Index j = 0; j < width; ++j) {
      const Index column = plan ? plan->features[static_cast<std::size_t>(j)] : j;
      table.x(rows, j) = cell(r, column);
      if (std::isnan(table.x(rows, j)) && found + ++gone == 1) first = place(r, column);
    }
    found += gone;
    if (gone > 0 && !keeps_holes(options.missing)) continue;
    ++rows;
    if (label >= 0) push_shortest(table.labels, cell(r, label));
    if (id >= 0) push_shortest(table.ids, cell(r, id));
    if (weight < 0) continue;
    table.weights.push_back(static_cast<double>(cell(r, weight)));
    check_weight(table.weights.back(), file, place(r, weight));
  }
  if (options.missing == Missing::error && found > 0) fail_missing(file, first, found);
  if (rows == 0) fail_all_dropped(file);
  if (keeps_holes(options.missing)) table.missing_cells = found;
  table.dropped_rows = shape.rows - rows;
  table.x.conservativeResize(rows, Eigen::NoChange);
  return table;
}

template Table<float> assemble_coordinates(std::vector<MtxEntry<float>>, Index, Index,
                                           const ReadOptions&, const std::string&);
template Table<double> assemble_coordinates(std::vector<MtxEntry<double>>, Index, Index,
                                            const ReadOptions&, const std::string&);
template Table<float> assemble_array(const std::vector<float>&, const MtxArray&, const ReadOptions&,
                                     const std::string&);
template Table<double> assemble_array(const std::vector<double>&, const MtxArray&,
                                      const ReadOptions&, const std::string&);

}  // namespace mercer
