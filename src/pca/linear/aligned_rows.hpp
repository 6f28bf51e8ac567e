#pragma once
// Rows of a stream in blocks that begin at fixed row numbers, however the stream is cut: what is
// computed from a block then has the same bits for a file, for memory and for any number of
// threads.

#include "core/parallel.hpp"
#include "pca/kernel/sampled_rows.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace mercer {

/// Numbers of a block: 16 MiB of doubles.
constexpr Index most_block_numbers = Index{1} << 21;

/// Rows whose features are made together. Depends on the numbers of features and columns alone.
inline Index feature_block(Index features, Index cols) {
  const Index rows = (Index{1} << 20) / std::max<Index>(1, features);
  const Index usual = std::clamp<Index>(rows / 256 * 256, 1024, 2048);
  return std::clamp<Index>(most_block_numbers / std::max<Index>(1, cols) / 16 * 16, 16, usual);
}

template <class T>
class AlignedRows {
 public:
  /// `weights`: null for ones; `first`: the number of the block's first row.
  using Visit =
      std::function<void(const Rows<T>& block, const double* weights, std::int64_t first)>;

  AlignedRows(Index block, Index cols) : block_(block), waiting_(cols, false) {}

  /// The number of the first row that is added; 0 unless this is called before.
  void begin_at(std::int64_t row) { first_ = row; }

  /// Visits the blocks that are complete with these rows.
  void add(const Rows<T>& rows, const double* weights, const Visit& visit) {
    // Dense and sparse rows cannot wait together; a short block is as right as a whole one.
    if (!weights_.empty() && rows.sparse() != waiting_.rows().sparse()) end(visit);
    Index i = 0;
    while (i < rows.rows()) {
      const Index n = std::min(rows.rows() - i, block_ - static_cast<Index>(weights_.size()));
      const double* w = weights ? weights + i : nullptr;
      if (n == block_) {
        visit(rows.middle(i, n), w, first_);
        first_ += n;
      } else {
        if (weights_.empty()) {
          waiting_ = RowList<T>(rows.cols(), rows.sparse());
          if (block_ * rows.cols() <= most_block_numbers) waiting_.reserve(block_);
        }
        for (Index r = 0; r < n; ++r) {
          waiting_.push_back(sampled(rows, i + r));
          weights_.push_back(w ? w[r] : 1.0);
        }
        if (static_cast<Index>(weights_.size()) == block_) end(visit);
      }
      i += n;
    }
  }

  /// Visits the rows of the last block, which is not complete, and keeps them.
  void rest(const Visit& visit) const {
    if (!weights_.empty()) visit(waiting_.rows(), weights_.data(), first_);
  }
  Index waiting() const { return std::ssize(weights_); }
  std::int64_t rows() const { return first_ + static_cast<std::int64_t>(weights_.size()); }

 private:
  void end(const Visit& visit) {
    rest(visit);
    first_ += static_cast<std::int64_t>(weights_.size());
    weights_.clear();
    waiting_ = RowList<T>(waiting_.rows().cols(), false);
  }

  Index block_;
  RowList<T> waiting_;
  std::vector<double> weights_;  // of the waiting rows
  std::int64_t first_ = 0;       // number of the first waiting row
};

/// Runs body(begin, rows, part) for the parts of a block of n rows, on all threads. The parts
/// depend on the block alone.
constexpr Index parts_a_block = 16;
inline Index rows_a_part(Index features, Index cols) {
  return feature_block(features, cols) / parts_a_block;
}
template <class Body>
void each_part(Index n, Index features, Index cols, int threads, const Body& body) {
  const Index step = rows_a_part(features, cols);
  parallel_for((n + step - 1) / step, threads,
               [&](Index part) { body(part * step, std::min(step, n - part * step), part); });
}

}  // namespace mercer
