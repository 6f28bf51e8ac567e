#pragma once
// Some rows of a stream, drawn in one pass; and rows that are kept one by one.

#include "core/packed.hpp"
#include "core/random.hpp"
#include "core/team.hpp"
#include "maps/from_text.hpp"

#include <mercer/rows.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mercer {

/// A copy of one row.
template <class T>
struct SampledRow {
  double key = 0;           ///< in the order of which rows were drawn
  std::int64_t number = 0;  ///< of the row, where it was drawn
  double along = 0;         ///< goes along: what was not yet explained of the row, or its weight
  std::vector<T> values;
  std::vector<std::int32_t> columns;  ///< of sparse rows

  template <class Use>
  void members(Use&& use) {
    use(key, number, along, values, columns);
  }
};

template <class T>
SampledRow<T> sampled(const Rows<T>& rows, Index i) {
  SampledRow<T> row;
  if (rows.sparse()) {
    const CsrView<T>& csr = rows.csr();
    row.columns.assign(csr.columns + csr.offsets[i], csr.columns + csr.offsets[i + 1]);
    row.values.assign(csr.values + csr.offsets[i], csr.values + csr.offsets[i + 1]);
  } else {
    row.values.assign(rows.row(i), rows.row(i) + rows.cols());
  }
  return row;
}

/// Rows with probability in proportion to their weights, without replacement, from a stream of any
/// length (Efraimidis & Spirakis 2006: the smallest of the waiting times −log(u)/w). The draw
/// depends on the seed and on each row's number, not on how the stream is cut into blocks.
template <class T>
class Reservoir {
 public:
  Reservoir(Index capacity, std::uint64_t seed)
      : capacity_(static_cast<std::size_t>(capacity)), seed_(seed) {}

  void offer(const Rows<T>& rows, Index i, std::int64_t number, double weight, double along = 0) {
    if (!(weight > 0)) return;
    Random random(seed_ ^ (static_cast<std::uint64_t>(number) * 0xd1342543de82ef95U));
    random.bits();
    const double key = -std::log(random.uniform()) / weight;
    if (rows_.size() == capacity_ && key > rows_.front().key) return;
    SampledRow<T> row = sampled(rows, i);
    row.key = key;
    row.number = number;
    row.along = along;
    offer(std::move(row));
  }

  /// A row that was drawn from a part of the stream.
  void offer(SampledRow<T> row) {
    if (rows_.size() == capacity_) {
      if (!earlier(row, rows_.front())) return;
      std::pop_heap(rows_.begin(), rows_.end(), earlier);
      rows_.pop_back();
    }
    rows_.push_back(std::move(row));
    std::push_heap(rows_.begin(), rows_.end(), earlier);
  }

  /// Rank 0 gets what is drawn of the rows of all ranks.
  void collect(Team& team) {
    mercer::collect(team, team.rank() == 0 ? std::string() : packed(rows_),
                    [&](const std::string& bytes) {
                      std::vector<SampledRow<T>> theirs;
                      unpack(bytes, theirs);
                      for (SampledRow<T>& row : theirs) offer(std::move(row));
                    });
  }

  /// The rows in the order they were drawn.
  std::vector<SampledRow<T>> take() {
    std::sort_heap(rows_.begin(), rows_.end(), earlier);
    return std::exchange(rows_, {});
  }

 private:
  static bool earlier(const SampledRow<T>& a, const SampledRow<T>& b) {
    return a.key < b.key || (a.key == b.key && a.number < b.number);
  }
  std::size_t capacity_;
  std::uint64_t seed_;
  std::vector<SampledRow<T>> rows_;  // a heap with the latest on top
};

/// Rows that are kept, dense or sparse, one after the other.
template <class T>
class RowList {
 public:
  RowList(Index cols, bool sparse) : sparse_(sparse), cols_(cols) { csr_.cols = cols; }

  /// Room for dense rows: a list that grows by itself takes up to three times its rows for a
  /// moment.
  void reserve(Index rows) {
    if (!sparse_) dense_.reserve(static_cast<std::size_t>(rows * cols_));
  }

  template <class From>
  void push_back(const SampledRow<From>& row) {
    auto& values = sparse_ ? csr_.values : dense_;
    for (const From value : row.values) values.push_back(static_cast<T>(value));
    if (!sparse_) return;
    csr_.columns.insert(csr_.columns.end(), row.columns.begin(), row.columns.end());
    csr_.offsets.push_back(static_cast<std::int64_t>(csr_.values.size()));
  }

  Index size() const {
    return sparse_ ? csr_.rows() : static_cast<Index>(dense_.size()) / std::max<Index>(1, cols_);
  }
  Rows<T> rows() const {
    return sparse_ ? Rows<T>(csr_) : Rows<T>(dense_.data(), size(), cols_, cols_);
  }
  Anchors<T> anchors() const {
    if (sparse_) return csr_;
    return Matrix<T>(rows().dense());
  }

  template <class Use>
  void members(Use&& use) {
    use(sparse_, cols_, dense_, csr_.cols, csr_.offsets, csr_.columns, csr_.values);
  }

 private:
  bool sparse_;
  Index cols_;
  std::vector<T> dense_;
  Csr<T> csr_;
};

}  // namespace mercer
