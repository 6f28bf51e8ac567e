#pragma once
// A model that keeps some rows of its data, to learn pre-images from.

#include "pca/kernel/sampled_rows.hpp"

#include <mercer/fit.hpp>

namespace mercer {

/// A source that draws rows from the first whole pass that goes by.
template <class T>
class KeepingSource final : public ForwardingSource<T> {
 public:
  KeepingSource(Source<T>& source, const FitOptions& options)
      : ForwardingSource<T>(source), options_(options), drawn_(options.keep_rows, options.seed) {}

  std::optional<Block<T>> next() override {
    auto block = this->source_.next();
    if (!block) complete_ = true;
    else if (!complete_) offer(*block);
    return block;
  }
  void rewind() override {
    this->source_.rewind();
    if (!complete_) restart();
  }
  std::optional<Block<T>> whole() override {
    auto all = this->source_.whole();
    if (all && !complete_) {
      restart();
      offer(*all);
      complete_ = true;
    }
    return all;
  }
  std::size_t buffer_bytes() const override {
    return this->source_.buffer_bytes() + sizeof(T) * static_cast<std::size_t>(options_.keep_rows) *
                                              static_cast<std::size_t>(this->schema().features);
  }

  /// The rows that were drawn.
  std::vector<SampledRow<T>> take() { return drawn_.take(); }

 private:
  void offer(const Block<T>& block) {
    for (Index i = 0; i < block.rows.rows(); ++i)
      drawn_.offer(block.rows, i, seen_ + i,
                   block.weights.empty() ? 1.0 : block.weights[static_cast<std::size_t>(i)]);
    seen_ += block.rows.rows();
  }
  void restart() {
    drawn_ = Reservoir<T>(options_.keep_rows, options_.seed);
    seen_ = 0;
  }

  const FitOptions& options_;
  Reservoir<T> drawn_;
  std::int64_t seen_ = 0;
  bool complete_ = false;
};

/// Would `fit` draw rows at all?
inline bool keeps_rows(const FitOptions& options) {
  return options.keep_rows > 0 && !options.precomputed;
}

/// The model with these rows, as φ gets them. Linear models, and kernel models that have every row
/// as an anchor, stay as they are.
template <class T>
Model<T> with_rows(Model<T> model, const std::vector<SampledRow<T>>& drawn, bool sparse);

}  // namespace mercer
