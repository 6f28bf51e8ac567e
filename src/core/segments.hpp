#pragma once
// Sums over a stream of rows that have the same bits for any threads and blocks.
//
// Rows are cut into leaves: a fixed number of rows, which depends on the number of columns alone.
// The sum of a leaf is computed by one thread in one order, and the sums of leaves are combined
// like the digits of a counter: as soon as `radix` sums of a level are there, they are one sum of
// the next level. That is a tree over the leaves which does not need to know how many will come, so
// a stream, a file and rows in memory have the same tree, and any number of threads can fill it.
//
//     struct Total {
//       double value = 0;
//       void merge(const Total& later) { value += later.value; }
//     };
//     Segments<Total> segments;
//     for (double x : {1.0, 2.0, 3.0}) {
//       Total leaf{x};
//       segments.push(leaf);
//     }
//     Total all;                                            // ((1 + 2)) and 3
//     segments.from_last([&](const Total& sum) { all.merge(sum); });
//
// Memory: one sum for each level, log(leaves)/log(radix) of them.

#include <mercer/matrix.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace mercer {

template <class Sum>
class Segments {
 public:
  struct Level {
    Sum sum;
    int count = 0;  // sums of the level below that are in it; what `sum` holds at 0 is of no use
  };

  explicit Segments(int radix = 2) : radix_(radix) {}

  int radix() const { return radix_; }
  std::int64_t leaves() const { return leaves_; }  ///< pushed so far, and those before `begin_at`

  /// So many leaves come before the first that is pushed here; others sum them. Called once, before
  /// the first push.
  void begin_at(std::int64_t leaf) { leaves_ = first_ = leaf; }

  /// Takes in the sum of the next leaf, or of the next radix^level leaves when as many lie in a row
  /// behind a multiple of that. `sum` is used up; it holds memory to be used again.
  void push(Sum& sum, int level = 0) {
    std::int64_t leaves = leaves_of(level);
    leaves_ += leaves;
    for (;; ++level, leaves *= radix_) {
      // A sum of the next level that begins before our first leaf is for others to complete.
      if (first_ > 0 && (leaves_ - leaves) / (leaves * radix_) * (leaves * radix_) < first_) {
        apart_.push_back({level, 1, std::move(sum)});
        sum = Sum();
        return;
      }
      if (levels_.size() <= static_cast<std::size_t>(level)) levels_.resize(level + 1);
      Level& at = levels_[static_cast<std::size_t>(level)];
      if (at.count == 0) std::swap(at.sum, sum);
      else at.sum.merge(sum);
      if (++at.count < radix_) return;
      std::swap(at.sum, sum);
      at.count = 0;
    }
  }

  /// The sums of all levels that have one, those of the last leaves first.
  template <class Use>
  void from_last(Use&& use) const {
    for (const Level& level : levels_)
      if (level.count > 0) use(level.sum);
  }

  /// `count` sums of the level below `level + 1`, already added up, which lie in a row.
  struct Node {
    int level = 0, count = 0;
    Sum sum;
  };
  /// All leaves that were pushed, as nodes that `append` takes, the first leaves first. Uses up the
  /// sums.
  std::vector<Node> take_nodes() {
    std::vector<Node> nodes = std::move(apart_);
    for (int level = static_cast<int>(levels_.size()) - 1; level >= 0; --level)
      if (Level& at = levels_[static_cast<std::size_t>(level)]; at.count > 0)
        nodes.push_back({level, at.count, std::move(at.sum)});
    *this = Segments(radix_);
    return nodes;
  }
  /// Takes in the next node of those that began where our leaves end.
  void append(Node& node) {
    if (node.count == 1) return push(node.sum, node.level);
    // The first of these sums is the first of a sum of the next level, so nothing lies here yet.
    const auto level = static_cast<std::size_t>(node.level);
    if (levels_.size() <= level) levels_.resize(level + 1);
    levels_[level].sum = std::move(node.sum);
    levels_[level].count = node.count;
    leaves_ += node.count * leaves_of(node.level);
  }

  /// The sum of exactly radix^level leaves, and nothing is left.
  Sum take() {
    Sum out = std::move(levels_.back().sum);
    *this = Segments(radix_);
    return out;
  }

  /// The whole state, to be saved and restored.
  const std::vector<Level>& levels() const { return levels_; }
  void restore(std::vector<Level> levels, std::int64_t leaves) {
    levels_ = std::move(levels);
    leaves_ = leaves;
  }

 private:
  std::int64_t leaves_of(int level) const {
    std::int64_t leaves = 1;
    for (int i = 0; i < level; ++i) leaves *= radix_;
    return leaves;
  }

  int radix_;
  std::int64_t leaves_ = 0, first_ = 0;
  std::vector<Level> levels_;
  std::vector<Node> apart_;  // sums that only others can add up further, in their order
};

/// Σ of numbers one by one, with what rounding loses of each addition kept apart (Neumaier 1974):
/// the same however the numbers are cut into blocks, and right to 2⁻⁵² for numbers of one sign.
class RunningSum {
 public:
  void add(double x) {
    const double next = sum_ + x;
    lost_ += (sum_ < 0 ? -sum_ : sum_) >= (x < 0 ? -x : x) ? (sum_ - next) + x : (x - next) + sum_;
    sum_ = next;
  }
  /// n weights, or n ones.
  void add(const double* weights, Index n) {
    if (!weights) return add(static_cast<double>(n));
    for (Index i = 0; i < n; ++i) add(weights[i]);
  }
  /// Where the sum overflows, what is lost is not a number.
  double value() const { return lost_ == lost_ ? sum_ + lost_ : sum_; }

  std::pair<double, double> state() const { return {sum_, lost_}; }
  void restore(double sum, double lost) {
    sum_ = sum;
    lost_ = lost;
  }

 private:
  double sum_ = 0, lost_ = 0;
};

}  // namespace mercer
