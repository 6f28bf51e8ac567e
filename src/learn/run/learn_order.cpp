#include "learn/run/learn_order.hpp"

#include "core/random.hpp"
#include "core/weights.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace mercer {

namespace {

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
    order_.resize(static_cast<std::size_t>(memory_->rows()));
    std::iota(order_.begin(), order_.end(), Index{0});
    if (shuffled_) {
      Random random(seed_ ^ (0xd1b54a32d192ed03U * (static_cast<std::uint64_t>(epoch) + 1)));
      for (std::size_t left = order_.size(); left > 1; --left)
        std::swap(order_[left - 1], order_[random.below(left)]);
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

LearnRows RowOrder::chosen(Index most) {
  const auto part = [&](const Rows<double>& rows, std::span<const double> weights, Index n) {
    at_ += n;
    if (!weights.empty())
      weights = weights.subspan(static_cast<std::size_t>(at_ - n), static_cast<std::size_t>(n));
    return LearnRows{rows.middle(at_ - n, n), weights};
  };
  if (!memory_) {
    if (at_ == block_.rows.rows() && !refill()) return {};
    return part(block_.rows, block_.weights, std::min(most, block_.rows.rows() - at_));
  }
  const Index left = memory_->rows() - at_;
  if (left == 0) return {};
  const Index* order = order_.data() + at_;
  const auto numbers = [&](Index n) { return std::span(order, static_cast<std::size_t>(n)); };
  if (!shuffled_) {
    const Index n = std::min(most, left);
    LearnRows rows = part(*memory_, as_weights(weights_, memory_->rows()), n);
    rows.numbers = numbers(n);
    return rows;
  }
  if (memory_->sparse()) {
    ++at_;
    return {memory_->middle(*order, 1), as_weights(weights_ ? weights_ + *order : nullptr, 1),
            numbers(1)};
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
  return {gathered_, gathered_weights_, numbers(n)};
}

LearnRows RowOrder::next(Index most) {
  // A long piece would be copied as a whole.
  if (standard_) most = std::min<Index>(most, 4096);
  LearnRows block = chosen(most);
  if (!standard_ || block.rows.rows() == 0) return block;
  copy_ = (*standard_)(block.rows);
  block.rows = copy_;
  return block;
}

}  // namespace mercer
