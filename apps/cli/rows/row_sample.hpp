#pragma once
// Every 2^j-th row of a stream, so that never more than `most` are kept, and how often each label
// occurs. The same stream always gives the same sample.

#include "terminal/cloud.hpp"

#include <mercer/source.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace mercer::cli {

template <class T>
class RowSample {
 public:
  RowSample(const Schema& schema, Index most) : most_(std::max<Index>(most, 2)) {
    rows_.cols = schema.features;
    sparse_ = schema.sparse;
  }

  void add(const Block<T>& block) {
    for (Index i = due_ - seen_; i < block.rows.rows(); i = due_ - seen_) {
      keep(block, i);
      due_ += step_;
      if (count() == most_) thin();
    }
    seen_ += block.rows.rows();
    if (block.labels) counts_.add(*block.labels, block.first_label, block.rows.rows());
  }

  Index count() const { return rows_.rows(); }
  Index step() const { return step_; }  ///< from one of these rows to the next
  Rows<T> rows() const {
    return sparse_ ? Rows<T>(rows_)
                   : Rows<T>(rows_.values.data(), rows_.rows(), rows_.cols, rows_.cols);
  }
  const std::vector<std::string>& labels() const { return labels_; }
  const LabelCounts& counts() const { return counts_; }

 private:
  void keep(const Block<T>& block, Index i) {
    const Rows<T>& from = block.rows;
    if (sparse_) {
      const auto& csr = from.csr();
      push(csr.columns + csr.offsets[i], csr.values + csr.offsets[i],
           csr.offsets[i + 1] - csr.offsets[i]);
    } else {
      push(nullptr, from.row(i), from.cols());
    }
    if (block.labels)
      labels_.emplace_back((*block.labels)[static_cast<std::size_t>(block.first_label + i)]);
  }

  void push(const std::int32_t* columns, const T* values, std::int64_t entries) {
    if (columns) rows_.columns.insert(rows_.columns.end(), columns, columns + entries);
    rows_.values.insert(rows_.values.end(), values, values + entries);
    rows_.offsets.push_back(static_cast<std::int64_t>(rows_.values.size()));
  }

  void thin() {
    Csr<T> all;
    all.cols = rows_.cols;
    std::swap(all, rows_);
    for (Index i = 0; i < all.rows(); i += 2) {
      const auto row = static_cast<std::size_t>(i);
      const std::int64_t begin = all.offsets[row], end = all.offsets[row + 1];
      push(sparse_ ? all.columns.data() + begin : nullptr, all.values.data() + begin, end - begin);
      if (!labels_.empty()) labels_[row / 2] = std::move(labels_[row]);
    }
    if (!labels_.empty()) labels_.resize(static_cast<std::size_t>(count()));
    step_ *= 2;
    due_ = count() * step_;
  }

  Index most_;
  Index seen_ = 0;
  Index due_ = 0;
  Index step_ = 1;
  Csr<T> rows_;  // dense rows have all their entries, and no column numbers
  bool sparse_;
  std::vector<std::string> labels_;
  LabelCounts counts_;
};

/// A source that shows a sample what passes by, once.
template <class T>
class Watched final : public ForwardingSource<T> {
 public:
  Watched(Source<T>& source, Index most)
      : ForwardingSource<T>(source), most_(most), sample_(source.schema(), most) {}

  const RowSample<T>& sample() const { return sample_; }

  std::optional<Block<T>> next() override {
    auto block = this->source_.next();
    if (!block) complete_ = true;
    else if (!complete_) sample_.add(*block);
    return block;
  }
  void rewind() override {
    this->source_.rewind();
    if (!complete_) sample_ = RowSample<T>(this->schema(), most_);
  }
  std::size_t buffer_bytes() const override {
    return this->source_.buffer_bytes() +
           sizeof(T) * static_cast<std::size_t>(most_ * this->schema().features);
  }

 private:
  Index most_;
  RowSample<T> sample_;
  bool complete_ = false;
};

}  // namespace mercer::cli
