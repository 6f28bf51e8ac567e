#include "learn/run/learn_order.hpp"

#include <algorithm>
#include <numeric>
#include "core/weights.hpp"

namespace mercer {

namespace {

/// SplitMix64: the same order on every machine.
struct ShuffleRandom {
  std::uint64_t state;
  std::uint64_t bits() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  /// 0 … n−1; the bias is n/2^64.
  Index below(Index n) { return static_cast<Index>(bits() % static_cast<std::uint64_t>(n)); }
};

/// Rows are copied together in pieces that stay in the cache.
constexpr Index gathered_entries = Index{1} << 14;

}  // namespace

RowOrder::RowOrder(const Rows<double>& memory, const double* weights, bool shuffled,
                   std::uint64_t seed, const Standard* standard)
    : memory_(memory), weights_(weights), standard_(standard), shuffled_(shuffled), seed_(seed) {}

RowOrder::RowOrder(Source<double>& source, const Standard* standard)
    : source_(&source), standard_(standard) {}

std::int64_t RowOrder::begin(int epoch, std::int64_t skip) {
  at_ = 0;
  if (memory_) {
    if (shuffled_) {
      order_.resize(static_cast<std::size_t>(memory_->rows()));
      std::iota(order_.begin(), order_.end(), Index{0});
      ShuffleRandom random{seed_ ^ (0xd1b54a32d192ed03U * (static_cast<std::uint64_t>(epoch) + 1))};
      for (Index i = memory_->rows() - 1; i > 0; --i)
        std::swap(order_[static_cast<std::size_t>(i)],
                  order_[static_cast<std::size_t>(random.below(i + 1))]);
    }
    at_ = static_cast<Index>(std::min<std::int64_t>(skip, memory_->rows()));
    return at_;
  }
  if (begun_ || (epoch > 0 && source_->can_rewind())) source_->rewind();
  begun_ = true;
  block_ = {};
  for (std::int64_t left = skip; left > 0;) {
    if (at_ == block_.rows.rows() && !refill()) return skip - left;
    const Index n = static_cast<Index>(std::min<std::int64_t>(left, block_.rows.rows() - at_));
    at_ += n;
    left -= n;
  }
  return skip;
}

bool RowOrder::refill() {
  block_ = source_->next().value_or(Block<double>{});
  at_ = 0;
  return block_.rows.rows() > 0;
}

Block<double> RowOrder::chosen(Index most) {
  const auto part = [&](const Rows<double>& rows, std::span<const double> weights, Index n) {
    at_ += n;
    if (!weights.empty())
      weights = weights.subspan(static_cast<std::size_t>(at_ - n), static_cast<std::size_t>(n));
    return Block<double>{rows.middle(at_ - n, n), weights};
  };
  if (memory_ && !shuffled_)
    return part(*memory_, as_weights(weights_, memory_->rows()),
                std::min(most, memory_->rows() - at_));
  if (!memory_) {
    if (at_ == block_.rows.rows() && !refill()) return {};
    return part(block_.rows, block_.weights, std::min(most, block_.rows.rows() - at_));
  }
  const Index left = memory_->rows() - at_;
  if (left == 0) return {};
  const Index* order = order_.data() + at_;
  if (memory_->sparse()) {
    ++at_;
    return {memory_->middle(*order, 1), as_weights(weights_ ? weights_ + *order : nullptr, 1)};
  }
  const Index d = memory_->cols();
  const Index n =
      std::min({most, left, std::max<Index>(1, gathered_entries / std::max<Index>(1, d))});
  gathered_.resize(n, d);
  gathered_weights_.clear();
  for (Index i = 0; i < n; ++i) {
    std::copy_n(memory_->row(order[i]), d, gathered_.row(i).data());
    if (weights_) gathered_weights_.push_back(weights_[order[i]]);
  }
  at_ += n;
  return {gathered_, gathered_weights_};
}

Block<double> RowOrder::next(Index most) {
  // A long piece would be copied as a whole.
  if (standard_) most = std::min<Index>(most, 4096);
  Block<double> block = chosen(most);
  if (!standard_ || block.rows.rows() == 0) return block;
  copy_ = (*standard_)(block.rows);
  block.rows = copy_;
  return block;
}

}  // namespace mercer
