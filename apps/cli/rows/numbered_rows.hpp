#pragma once
// Rows whose numbers in the file are known although some are left out: `--missing drop` for
// commands that name rows.
//
//     const NumberedRows<T> rows = open_numbered(model, flags.model, paths, reading);
//     while (const auto block = rows.source->next()) rows.numbers();   // of its rows, from 0

#include "rows/model_rows.hpp"

#include "core/require.hpp"

#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace mercer::cli {

/// Throws where all rows of a source were dropped.
template <class T>
void require_complete_rows(const Source<T>& source, Index kept, Index dropped) {
  require(kept > 0 || dropped == 0, Errc::bad_data,
          "'{}': every row has a missing value, so `missing=drop` drops all rows; use "
          "`missing=mean`",
          Input(source.name()));
}

/// Leaves out rows with missing values, which `file` must leave in its rows as NaN.
template <class T>
class DroppingSource final : public ForwardingSource<T> {
 public:
  /// `all`: these are all rows, of which some must be complete, and not those of one process.
  explicit DroppingSource(std::unique_ptr<Source<T>> file, bool all = true)
      : ForwardingSource<T>(std::move(file)), is_all_(all) {
    csr_.cols = this->schema().features;
  }

  std::optional<Block<T>> next() override {
    while (const auto block = this->source_.next()) {
      const Index before = seen_;
      numbers_.clear();
      for (Index i = 0; i < block->rows.rows(); ++i, ++seen_)
        if (complete(block->rows, i)) numbers_.push_back(seen_);
      const auto kept = static_cast<Index>(numbers_.size());
      dropped_ += block->rows.rows() - kept;
      if (all_) all_->insert(all_->end(), numbers_.begin(), numbers_.end());
      if (kept == block->rows.rows()) return block;
      if (kept > 0) return copy(*block, before);
    }
    if (is_all_) require_complete_rows(*this, seen_ - dropped_, dropped_);
    return std::nullopt;
  }
  void rewind() override {
    this->source_.rewind();
    seen_ = dropped_ = 0;
    if (all_) all_->clear();
  }
  Index dropped_rows() const override { return dropped_; }
  Index missing_cells() const override { return 0; }

  /// Of the rows of the last block, from 0.
  std::span<const Index> numbers() const { return numbers_; }
  /// Appends the numbers of all rows that come from now on.
  void collect(std::vector<Index>& all) { all_ = &all; }

 private:
  static bool complete(const Rows<T>& x, Index i) {
    const T* first = x.sparse() ? x.csr().values + x.csr().offsets[i] : x.row(i);
    const T* last = x.sparse() ? x.csr().values + x.csr().offsets[i + 1] : first + x.cols();
    for (; first != last; ++first)
      if (std::isnan(*first)) return false;
    return true;
  }

  /// The rows of `numbers_`, of a block that begins with the row `before`.
  Block<T> copy(const Block<T>& from, Index before) {
    const auto kept = static_cast<Index>(numbers_.size());
    const bool sparse = from.rows.sparse();
    csr_.offsets.assign(1, 0);
    csr_.columns.clear();
    csr_.values.clear();
    dense_.resize(sparse ? 0 : kept, csr_.cols);
    weights_.clear();
    labels_.clear();
    ids_.clear();
    for (Index r = 0; r < kept; ++r) {
      const Index i = numbers_[static_cast<std::size_t>(r)] - before;
      if (sparse) {
        const CsrView<T>& all = from.rows.csr();
        csr_.columns.insert(csr_.columns.end(), all.columns + all.offsets[i],
                            all.columns + all.offsets[i + 1]);
        csr_.values.insert(csr_.values.end(), all.values + all.offsets[i],
                           all.values + all.offsets[i + 1]);
        csr_.offsets.push_back(static_cast<std::int64_t>(csr_.values.size()));
      } else {
        dense_.row(r) = from.rows.middle(i, 1).dense();
      }
      const auto text = static_cast<std::size_t>(from.first_label + i);
      if (!from.weights.empty()) weights_.push_back(from.weights[static_cast<std::size_t>(i)]);
      if (from.labels) labels_.push_back((*from.labels)[text]);
      if (from.ids) ids_.push_back((*from.ids)[text]);
    }
    return {sparse ? Rows<T>(csr_) : Rows<T>(dense_), weights_, from.labels ? &labels_ : nullptr,
            from.ids ? &ids_ : nullptr, 0};
  }

  bool is_all_;
  Index seen_ = 0, dropped_ = 0;
  std::vector<Index> numbers_;
  std::vector<Index>* all_ = nullptr;
  Matrix<T> dense_;
  Csr<T> csr_;
  std::vector<double> weights_;
  TextColumn labels_, ids_;
};

template <class T>
struct NumberedRows {
  std::unique_ptr<Source<T>> source;
  const DroppingSource<T>* dropping = nullptr;  ///< the source, if it leaves rows out

  /// The numbers, from 0, of the rows of the last block; empty: none was left out.
  std::span<const Index> numbers() const {
    return dropping ? dropping->numbers() : std::span<const Index>();
  }
};

/// As `open_for`.
template <class T>
NumberedRows<T> open_numbered(const Model<T>& model, const std::string& model_path,
                              const std::vector<std::string>& data, ReadOptions reading,
                              Team* team = nullptr) {
  if (reading.missing != Missing::drop) return {open_for(model, model_path, data, reading, team)};
  reading.missing = Missing::mean;  // leaves them in the rows
  auto rows =
      std::make_unique<DroppingSource<T>>(open_for(model, model_path, data, reading, team), !team);
  const DroppingSource<T>* dropping = rows.get();
  return {std::move(rows), dropping};
}

}  // namespace mercer::cli
