// Moments as a list of numbers, and back.
#include "operators/moments_impl.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mercer {

namespace {

class StateWriter {
 public:
  void number(double x) { out_.push_back(x); }
  void vector(const double* from, Index count) { out_.insert(out_.end(), from, from + count); }
  void sum(const LeafSum& sum, Index d) {
    vector(sum.first.data(), d);
    for (Index i = 0; i < d; ++i) vector(sum.second.row(i).data() + i, d - i);
  }
  std::vector<double> take() { return std::move(out_); }

 private:
  std::vector<double> out_;
};

/// Reads while the numbers are valid; `good()` reports at the end.
class StateReader {
 public:
  explicit StateReader(const std::vector<double>& from) : from_(from) {}

  double number() { return at_ < from_.size() ? from_[at_++] : (good_ = false, 0.0); }
  std::int64_t count(double most) {
    const double x = number();
    good_ = good_ && x >= 0 && x <= most && x == std::floor(x);
    return good_ ? static_cast<std::int64_t>(x) : 0;
  }
  void vector(double* to, Index count) {
    good_ = good_ && from_.size() - at_ >= static_cast<std::size_t>(count);
    if (!good_) return;
    std::copy_n(from_.data() + at_, count, to);
    at_ += static_cast<std::size_t>(count);
  }
  void sum(LeafSum& sum, const Leaves& leaves) {
    const Index d = leaves.columns;
    const auto needed = static_cast<std::size_t>(d + d * (d + 1) / 2);
    good_ = good_ && from_.size() - at_ >= needed;  // before memory is taken
    if (!good_) return;
    sum.clear(leaves);
    vector(sum.first.data(), d);
    for (Index i = 0; i < d; ++i) vector(sum.second.row(i).data() + i, d - i);
  }
  bool good() const { return good_ && at_ == from_.size(); }

 private:
  const std::vector<double>& from_;
  std::size_t at_ = 0;
  bool good_ = true;
};

}  // namespace

std::vector<double> Moments::Impl::state() const {
  const Index d = leaves.columns;
  StateWriter out;
  out.number(static_cast<double>(rows));
  out.number(weight.state().first);
  out.number(weight.state().second);
  out.number((shifted ? 1 : 0) + (missing.size() > 0 ? 2 : 0) + (any_sparse_ ? 4 : 0) +
             (waiting_weighted_ ? 8 : 0) + (merged.first.size() > 0 ? 16 : 0) +
             (missing.any() ? 32 : 0));
  out.number(static_cast<double>(d));
  out.vector(shift.data(), d);
  if (missing.any()) out.vector(missing.data(), d);
  if (merged.first.size() > 0) {
    out.sum(merged, d);
    out.vector(carried.data(), d);
  }
  out.number(static_cast<double>(tree_.leaves()));
  out.number(static_cast<double>(tree_.levels().size()));
  for (const auto& level : tree_.levels()) {
    out.number(level.count);
    if (level.count > 0) out.sum(level.sum, d);
  }
  out.number(static_cast<double>(open_rows_));
  if (open_rows_ > 0) out.sum(open_, d);
  out.number(static_cast<double>(sparse_rows_));
  if (sparse_rows_ > 0) out.sum(sparse_, d);
  out.number(static_cast<double>(waiting_rows_));
  out.vector(waiting_.data(), waiting_rows_ * d);
  out.vector(waiting_weight_.data(), waiting_rows_);
  return out.take();
}

bool Moments::Impl::restore(const std::vector<double>& state) {
  const Index d = leaves.columns;
  StateReader in(state);
  rows = in.count(9e15);
  const double total = in.number(), lost = in.number();
  weight.restore(total, lost);
  const std::int64_t flags = in.count(63);
  shifted = (flags & 1) != 0;
  missing = Vector<double>::Zero((flags & 2) != 0 ? d : 0);
  any_sparse_ = (flags & 4) != 0;
  waiting_weighted_ = (flags & 8) != 0;
  if (in.count(1e9) != d || !(total >= 0)) return false;
  in.vector(shift.data(), d);
  if ((flags & 32) != 0) {
    missing.resize(d);
    in.vector(missing.data(), d);
  }
  if ((flags & 16) != 0) {
    in.sum(merged, leaves);
    carried.resize(d);
    in.vector(carried.data(), d);
  }
  const std::int64_t full = in.count(9e15);
  std::vector<Segments<LeafSum>::Level> levels(static_cast<std::size_t>(in.count(64)));
  for (auto& level : levels) {
    level.count = static_cast<int>(in.count(leaves.radix - 1));
    if (level.count > 0) in.sum(level.sum, leaves);
  }
  tree_.restore(std::move(levels), full);
  open_rows_ = in.count(static_cast<double>(leaves.rows - 1));
  if (open_rows_ > 0) in.sum(open_, leaves);
  sparse_rows_ = in.count(static_cast<double>(leaves.sparse - 1));
  if (sparse_rows_ > 0) in.sum(sparse_, leaves);
  waiting_rows_ = in.count(static_cast<double>((shifted ? leaves.block : leaves.start) - 1));
  if (waiting_rows_ > 0) {
    const Index room = shifted ? leaves.block : leaves.start;
    waiting_.resize(room, d);
    waiting_weight_.resize(room);
    in.vector(waiting_.data(), waiting_rows_ * d);
    in.vector(waiting_weight_.data(), waiting_rows_);
  }
  return in.good() && open_rows_ % leaves.block == 0;
}

}  // namespace mercer
