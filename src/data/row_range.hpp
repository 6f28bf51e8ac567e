#pragma once
// Some consecutive rows of a source that cannot be read from the middle.

#include "data/pieces.hpp"

#include <mercer/source.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace mercer {

/// Rows before the range are read and left out. There are none before `narrow`.
template <class T>
class RowRange final : public ForwardingSource<T>, public RowPieces {
 public:
  static constexpr Index all = std::numeric_limits<Index>::max();

  explicit RowRange(std::unique_ptr<Source<T>> source) : ForwardingSource<T>(std::move(source)) {}

  Index all_rows() const override {
    const auto block = this->source_.whole();
    return block ? block->rows.rows() : all;
  }
  void narrow(Index first, Index end) override {
    first_ = first;
    end_ = end;
    at_ = 0;
  }
  Index expected_rows() const override {
    return end_ == all ? this->source_.expected_rows() : end_ - first_;
  }

  void rewind() override {
    this->source_.rewind();
    at_ = 0;
  }

  std::optional<Block<T>> next() override {
    while (at_ < end_) {
      const auto block = this->source_.next();
      if (!block) break;
      const Index n = block->rows.rows(), begin = std::max<Index>(first_ - at_, 0),
                  end = std::min(n, end_ - at_);
      at_ += n;
      if (begin < end) return part_of(*block, begin, end - begin);
    }
    return std::nullopt;
  }

  std::optional<Block<T>> whole() override {
    const auto block = this->source_.whole();
    if (!block) return std::nullopt;
    return part_of(*block, first_, std::min(end_, block->rows.rows()) - first_);
  }

 private:
  static Block<T> part_of(const Block<T>& block, Index first, Index count) {
    Block<T> part = block;
    part.rows = block.rows.middle(first, count);
    if (!block.weights.empty())
      part.weights =
          block.weights.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    part.first_label += first;
    return part;
  }

  Index first_ = 0, end_ = 0;
  Index at_ = 0;  // rows of the source that were read
};

}  // namespace mercer
