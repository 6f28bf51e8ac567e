#pragma once
/// \file
/// `Source<T>`: a stream of rows, from memory, a file or standard input.
///
///     auto source = mercer::open<double>("big.csv", {.label = "species"});
///     while (auto block = source->next()) use(block->rows);
///     source->rewind();                                    // and once more
///
/// A block and everything it points to is valid until the next call of `next()` or `rewind()`.

#include <mercer/rows.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// Strings of one column, packed: two allocations however many rows.
class TextColumn {
 public:
  void push_back(std::string_view text) {
    chars_.append(text);
    ends_.push_back(chars_.size());
  }
  void append(const TextColumn& other) {
    for (std::size_t i = 0; i < other.size(); ++i) push_back(other[i]);
  }
  std::size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }
  std::string_view operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(chars_).substr(begin, ends_[i] - begin);
  }
  void clear() {
    chars_.clear();
    ends_.clear();
  }
  void reserve(std::size_t rows, std::size_t chars) {
    ends_.reserve(rows);
    chars_.reserve(chars);
  }

 private:
  std::string chars_;
  std::vector<std::size_t> ends_;
};

/// What to do with a cell that is missing: empty, NA, NaN, nan or ? in text, NaN in a matrix.
enum class Missing {
  error,  ///< refuse the rows: the first place and the count are named
  drop,   ///< leave the row out (files only)
  mean,   ///< put the column's mean there: of the rows in `fit`, of the model in `transform`
  em,     ///< linear PCA: what the other cells of the row say of it
};

/// Whether rows may come with NaN in their missing cells.
inline bool keeps_holes(Missing missing) {
  return missing == Missing::mean || missing == Missing::em;
}

/// What is known of a source before its first row.
struct Schema {
  Index features = 0;
  std::vector<std::string> feature_names;  ///< empty when the source has no names
  std::string label;                       ///< name of the label column, empty if none
  std::string id;                          ///< name of the id column, empty if none
  bool weighted = false;                   ///< blocks carry row weights
  bool sparse = false;                     ///< blocks are sparse
  std::string weight;                      ///< name of the weight column, empty if none
};

/// Some rows and what travels with them.
template <class T>
struct Block {
  Rows<T> rows;
  std::span<const double> weights{};   ///< one per row when the schema is weighted
  const TextColumn* labels = nullptr;  ///< one a row when the schema has a label
  const TextColumn* ids = nullptr;     ///< one a row when the schema has an id
  Index first_label = 0;               ///< where this block's texts begin in `labels` and `ids`
};

template <class T>
class Source {
 public:
  virtual ~Source() = default;

  virtual const Schema& schema() const = 0;

  /// The next rows, never an empty block; nothing at the end.
  virtual std::optional<Block<T>> next() = 0;

  /// Back to the first row. Throws `Errc::io` when the source cannot (standard input).
  virtual void rewind() = 0;
  virtual bool can_rewind() const { return true; }

  /// Rows in all when known, or a good guess (CSV: from the file's size), or 0.
  virtual Index expected_rows() const { return 0; }

  /// Rows left out so far because of missing cells (`Missing::drop`).
  virtual Index dropped_rows() const { return 0; }

  /// Cells that were missing so far and stand as NaN in the rows (`keeps_holes`).
  virtual Index missing_cells() const { return 0; }

  /// What to call it in a message: the path, "standard input", "memory".
  virtual std::string name() const = 0;

  /// The rows, when all of them already lie in memory (or in a memory map) and can be borrowed
  /// for as long as the source lives; nothing otherwise.
  virtual std::optional<Block<T>> whole() { return std::nullopt; }

  /// Throws `Errc::bad_data` when the file behind `whole()` is no longer the one that was opened
  /// (size, time of change). A pass asks this at its end; who borrows the rows asks it when done.
  virtual void require_unchanged() const {}
};

/// A source over rows that the caller keeps alive. `schema` may add names; what the rows
/// themselves tell (features, sparse, weighted) is filled in.
template <class T>
std::unique_ptr<Source<T>> from_memory(Rows<T> rows, Weights weights = {}, Schema schema = {});

}  // namespace mercer
