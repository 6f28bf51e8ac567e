#pragma once
// A source that hides that its rows are in memory: what streams must do, fit must do with it.

#include <mercer/source.hpp>

#include <algorithm>
#include <functional>

namespace mercer::test {

template <class T>
class ChunkedSource final : public Source<T> {
 public:
  ChunkedSource(Rows<T> rows, Index chunk, Weights weights = {})
      : rows_(rows), chunk_(chunk), weights_(weights) {
    schema_.features = rows.cols();
    schema_.sparse = rows.sparse();
    schema_.weighted = !weights.empty();
  }

  const Schema& schema() const override { return schema_; }
  std::optional<Block<T>> next() override {
    if (at_ == rows_.rows()) return std::nullopt;
    const Index n = std::min(chunk_, rows_.rows() - at_);
    Block<T> block;
    block.rows = rows_.middle(at_, n);
    if (!weights_.empty())
      block.weights = weights_.subspan(static_cast<std::size_t>(at_), static_cast<std::size_t>(n));
    at_ += n;
    return block;
  }
  void rewind() override {
    at_ = 0;
    ++rewinds;
    if (on_rewind) on_rewind();
    if (shrink_after_rewind) rows_ = rows_.middle(0, rows_.rows() - 1);
  }
  Index expected_rows() const override { return rows_.rows(); }
  std::string name() const override { return "chunks"; }

  int rewinds = 0;
  bool shrink_after_rewind = false;
  std::function<void()> on_rewind{};

 private:
  Schema schema_;
  Rows<T> rows_;
  Index chunk_;
  Weights weights_;
  Index at_ = 0;
};

}  // namespace mercer::test
