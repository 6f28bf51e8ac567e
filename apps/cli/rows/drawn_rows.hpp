#pragma once
// Numbers of rows that a picture is made of, with their labels and names: all of them, or every
// 2^j-th where they would be too many.

#include <mercer/source.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace mercer::cli {

/// Rows of so many numbers that are kept: beyond that every other row has to do. A row has its
/// numbers twice while they grow and once more for the picture, its name and label, and its dot.
inline Index most_drawn_rows(Index width, double share) {
  const double room = std::min(share, 8.0 * (1 << 23) * 3);
  return std::max<Index>(2, static_cast<Index>(room / (24 * static_cast<double>(width) + 480)));
}

class DrawnRows {
 public:
  /// Rows of `width` numbers, at most `most` of them.
  DrawnRows(Index width, Index most) : width_(width), most_(most < 2 ? 2 : most) {}

  /// Rows of a block from `first` on, with the numbers of each. `in_file`: which rows of the file
  /// those of the block are, where some were left out.
  template <class T>
  void add(const Block<T>& block, Index first, const Matrix<double>& numbers,
           std::span<const Index> in_file = {}) {
    for (Index i = 0; i < numbers.rows(); ++i, ++seen_) {
      if (seen_ % step_ != 0) continue;
      for (Index j = 0; j < width_; ++j) numbers_.push_back(numbers(i, j));
      const auto text = static_cast<std::size_t>(block.first_label + first + i);
      if (block.labels) labels_.emplace_back((*block.labels)[text]);
      if (block.ids) names_.emplace_back((*block.ids)[text]);
      else
        names_.push_back(std::to_string(
            1 + (in_file.empty() ? seen_ : in_file[static_cast<std::size_t>(first + i)])));
      if (count() == most_) thin();
    }
  }

  Index count() const { return static_cast<Index>(names_.size()); }
  Index seen() const { return seen_; }
  Eigen::Map<const Matrix<double>> numbers() const { return {numbers_.data(), count(), width_}; }
  const std::vector<std::string>& labels() const { return labels_; }
  const std::vector<std::string>& names() const { return names_; }

 private:
  void thin() {
    const auto width = static_cast<std::size_t>(width_);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < names_.size(); i += 2, ++kept) {
      for (std::size_t j = 0; j < width; ++j) numbers_[kept * width + j] = numbers_[i * width + j];
      if (i == 0) continue;
      names_[kept] = std::move(names_[i]);
      if (!labels_.empty()) labels_[kept] = std::move(labels_[i]);
    }
    numbers_.resize(kept * width);
    names_.resize(kept);
    if (!labels_.empty()) labels_.resize(kept);
    step_ *= 2;
  }

  Index width_, most_;
  Index seen_ = 0, step_ = 1;
  std::vector<double> numbers_;
  std::vector<std::string> labels_, names_;
};

}  // namespace mercer::cli
