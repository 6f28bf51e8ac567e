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

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mercer {

/// Strings of one column, packed into two allocations.
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

/// Treatment of missing values: empty, NA, NaN, nan or ? in text, NaN in a matrix.
enum class Missing {
  error,  ///< an error that names the first position and the count
  drop,   ///< drop the row (files only)
  mean,   ///< impute the column mean: of the rows in `fit`, of the model in `transform`
  em,     ///< linear PCA: impute by iterative PCA
};

/// Whether missing values remain in the rows as NaN.
inline bool keeps_holes(Missing missing) {
  return missing == Missing::mean || missing == Missing::em;
}

/// Description of a source, known before its first row.
struct Schema {
  Index features = 0;
  std::vector<std::string> feature_names;  ///< empty when the source has no names
  std::string label;                       ///< name of the label column, empty if none
  std::string id;                          ///< name of the id column, empty if none
  bool weighted = false;                   ///< blocks carry row weights
  bool sparse = false;                     ///< blocks are sparse
  std::string weight;                      ///< name of the weight column, empty if none
};

/// Some rows with their weights, labels and ids.
template <class T>
struct Block {
  Rows<T> rows;
  std::span<const double> weights{};   ///< one per row if the schema is weighted
  const TextColumn* labels = nullptr;  ///< one per row if the schema has a label
  const TextColumn* ids = nullptr;     ///< one per row if the schema has an id
  Index first_label = 0;               ///< index of this block's first text in `labels` and `ids`
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

  /// Total number of rows, or an estimate (CSV: from the file size), or 0 if unknown.
  virtual Index expected_rows() const { return 0; }

  /// Memory of the buffers that reading blocks takes; 0: blocks are borrowed, or it is not known.
  virtual std::size_t buffer_bytes() const { return 0; }

  /// Rows dropped so far because of missing values (`Missing::drop`).
  virtual Index dropped_rows() const { return 0; }

  /// Missing values so far that remain in the rows as NaN (`keeps_holes`).
  virtual Index missing_cells() const { return 0; }

  /// Name for messages: the path, "standard input", "memory".
  virtual std::string name() const = 0;

  /// All rows, if they are already in memory (or in a memory map) and can be borrowed for the
  /// lifetime of the source; nothing otherwise.
  virtual std::optional<Block<T>> whole() { return std::nullopt; }

  /// Throws `Errc::bad_data` if the file behind `whole()` has changed since it was opened (size,
  /// modification time). Called at the end of each pass, and after borrowed rows were used.
  virtual void require_unchanged() const {}
};

/// A source that shows the rows of another one, changed or counted: everything but `next()` is that
/// source's, until a derived class says otherwise. `whole()` is nothing, as rows pass by `next()`.
template <class T, class From = T>
class ForwardingSource : public Source<T> {
 public:
  explicit ForwardingSource(Source<From>& source) : source_(source) {}
  explicit ForwardingSource(std::unique_ptr<Source<From>> source)
      : owned_(std::move(source)), source_(*owned_) {}

  const Schema& schema() const override { return source_.schema(); }
  void rewind() override { source_.rewind(); }
  bool can_rewind() const override { return source_.can_rewind(); }
  Index expected_rows() const override { return source_.expected_rows(); }
  std::size_t buffer_bytes() const override { return source_.buffer_bytes(); }
  Index dropped_rows() const override { return source_.dropped_rows(); }
  Index missing_cells() const override { return source_.missing_cells(); }
  std::string name() const override { return source_.name(); }
  void require_unchanged() const override { source_.require_unchanged(); }

 private:
  std::unique_ptr<Source<From>> owned_;

 protected:
  Source<From>& source_;
};

/// A source over rows that the caller keeps alive. `schema` may add names; `features`, `sparse` and
/// `weighted` are set from the rows.
template <class T>
std::unique_ptr<Source<T>> from_memory(Rows<T> rows, Weights weights = {}, Schema schema = {});

}  // namespace mercer
