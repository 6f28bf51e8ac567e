#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "core/require.hpp"

#include <mercer/data.hpp>

#include <algorithm>
#include <cstring>
#include <limits>

namespace mercer {

namespace {

template <class T>
class Collector {
 public:
  Collector(Source<T>& source, std::size_t limit_bytes) : source_(source), limit_(limit_bytes) {
    table_.schema = source.schema();
    table_.sparse.cols = table_.schema.sparse ? table_.schema.features : 0;
    if (!table_.schema.sparse) table_.x.resize(0, table_.schema.features);
  }

  Table<T> collect() {
    while (const auto block = source_.next()) add(*block);
    if (!table_.schema.sparse) table_.x.conservativeResize(rows_, Eigen::NoChange);
    table_.dropped_rows = source_.dropped_rows();
    table_.missing_cells = source_.missing_cells();
    return std::move(table_);
  }

 private:
  void add(const Block<T>& block) {
    account(block);
    if (block.rows.sparse()) append(block.rows.csr(), block.rows.rows());
    else append(block.rows);
    rows_ += block.rows.rows();
    table_.weights.insert(table_.weights.end(), block.weights.begin(), block.weights.end());
    append(block.labels, block, table_.labels);
    append(block.ids, block, table_.ids);
  }

  void append(const Rows<T>& rows) {
    if (rows_ + rows.rows() > table_.x.rows()) grow(rows_ + rows.rows());
    const Index width = rows.cols();
    constexpr Index worth_a_thread = 1 << 17;
    parallel_ranges(rows.rows(), 0, std::max<Index>(1, worth_a_thread / std::max<Index>(width, 1)),
                    [&](Index begin, Index end, int) {
                      table_.x.middleRows(rows_ + begin, end - begin) =
                          rows.middle(begin, end - begin).dense();
                    });
  }

  /// Makes room for `needed` rows or more. Memory that is set aside and not touched costs nothing,
  /// and shrinking a large allocation only gives its end back: a guess may be too high.
  void grow(Index needed) {
    const Index guess = source_.expected_rows();
    Index rows = std::max(needed, rows_ == 0 ? guess + guess / 16 : rows_ + rows_ / 2);
    const Index row_bytes = std::max<Index>(1, table_.x.cols() * static_cast<Index>(sizeof(T)));
    if (limit_ != 0) rows = std::clamp<Index>(static_cast<Index>(limit_ / row_bytes), needed, rows);
    try {
      table_.x.conservativeResize(rows, Eigen::NoChange);
    } catch (const std::bad_alloc&) {
      fail(Errc::out_of_memory, "'{}' does not fit in memory: {} rows of {} columns need {}",
           source_.name(), rows, table_.x.cols(),
           format_bytes(static_cast<double>(rows) * static_cast<double>(row_bytes)));
    }
    advise_huge_pages(table_.x.data(), static_cast<std::size_t>(rows * row_bytes));
  }

  void append(const CsrView<T>& csr, Index rows) {
    Csr<T>& x = table_.sparse;
    const std::int64_t shift = x.offsets.back() - csr.offsets[0];
    for (Index r = 1; r <= rows; ++r) x.offsets.push_back(csr.offsets[r] + shift);
    x.columns.insert(x.columns.end(), csr.columns + csr.offsets[0],
                     csr.columns + csr.offsets[rows]);
    x.values.insert(x.values.end(), csr.values + csr.offsets[0], csr.values + csr.offsets[rows]);
  }

  static void append(const TextColumn* texts, const Block<T>& block, TextColumn& out) {
    if (!texts) return;
    const auto first = static_cast<std::size_t>(block.first_label);
    for (std::size_t i = 0; i < static_cast<std::size_t>(block.rows.rows()); ++i)
      out.push_back((*texts)[first + i]);
  }

  /// Adds what the block will take and refuses it when that is too much.
  void account(const Block<T>& block) {
    if (limit_ == 0) return;
    const auto rows = static_cast<std::size_t>(block.rows.rows());
    const auto entries = static_cast<std::size_t>(block.rows.entries());
    bytes_ += block.rows.sparse()
                  ? entries * (sizeof(T) + sizeof(std::int32_t)) + rows * sizeof(std::int64_t)
                  : entries * sizeof(T);
    bytes_ += block.weights.size_bytes();
    for (const TextColumn* texts : {block.labels, block.ids}) {
      if (!texts) continue;
      const auto first = static_cast<std::size_t>(block.first_label);
      for (std::size_t i = 0; i < rows; ++i)
        bytes_ += (*texts)[first + i].size() + sizeof(std::size_t);
    }
    require(bytes_ <= limit_, Errc::out_of_memory,
            "'{}' does not fit in the memory budget of {}; raise `memory`", source_.name(),
            format_bytes(static_cast<double>(limit_)));
  }

  Source<T>& source_;
  std::size_t limit_;
  std::size_t bytes_ = 0;
  Index rows_ = 0;
  Table<T> table_;
};

}  // namespace

template <class T>
Table<T> read_all(Source<T>& source, std::size_t limit_bytes) {
  return Collector<T>(source, limit_bytes).collect();
}

template Table<float> read_all(Source<float>&, std::size_t);
template Table<double> read_all(Source<double>&, std::size_t);

}  // namespace mercer
