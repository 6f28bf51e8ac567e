#pragma once
// Rows that are read once, and their means: models of maps hold the means of the columns.

#include "operators/column_means.hpp"

#include <mercer/source.hpp>

#include <optional>

namespace mercer {

template <class T>
class AveragedSource final : public ForwardingSource<T> {
 public:
  AveragedSource(Source<T>& source, int threads)
      : ForwardingSource<T>(source), means_(source.schema().features), threads_(threads) {}

  std::optional<Block<T>> next() override {
    auto block = this->source_.next();
    if (block)
      means_.add(block->rows, block->weights.empty() ? nullptr : block->weights.data(), threads_);
    return block;
  }

  /// Of the rows so far.
  const ColumnMeans& means() const { return means_; }

 private:
  ColumnMeans means_;
  int threads_;
};

}  // namespace mercer
