#pragma once
// Rows of a stream from which an open width is chosen: those that `even_rows` takes of rows in
// memory.

#include "core/packed.hpp"
#include "core/team.hpp"
#include "kernels/weighted_width.hpp"
#include "pca/kernel/sampled_rows.hpp"
#include "pca/passes.hpp"

#include <string>
#include <vector>

namespace mercer {

template <class T>
class WidthSample {
 public:
  /// `total`: the weight of all rows to come.
  WidthSample(Index cols, bool sparse, double total)
      : WidthSample(cols, sparse, total, total <= static_cast<double>(width_rows), {}) {}
  /// Of the rows of this rank.
  WidthSample(Index cols, bool sparse, double total, const RowSpread& spread)
      : WidthSample(cols, sparse, total,
                    total <= static_cast<double>(width_rows) && spread.counted.back() <= width_rows,
                    spread.weight_before) {}

  void offer(const Rows<T>& rows, Index i, double weight) {
    if (!(weight > 0)) return;
    const bool few = few_by_weight_ && ++positive_ <= width_rows;
    if (few) {
      few_.push_back(sampled(rows, i));
      few_counts_.push_back(weight);
    } else if (few_.size() > 0) {
      // More rows than their weights let expect: the even ones among them are all that is needed.
      for (const Index at : even_in_few_) even_.push_back(sampled(few_.rows(), at));
      few_ = RowList<T>(rows.cols(), rows.sparse());
    }
    if (const double count = places_.next(weight); count > 0) {
      even_counts_.push_back(count);
      if (few) even_in_few_.push_back(few_.size() - 1);
      else even_.push_back(sampled(rows, i));
    }
  }

  /// Rank 0 gets the rows of all ranks.
  void collect(Team& team) {
    mercer::collect(
        team, team.rank() == 0 ? std::string() : packed(few_, even_, few_counts_, even_counts_),
        [&](const std::string& bytes) {
          RowList<T> few(0, false), even(0, false);
          std::vector<double> few_counts, even_counts;
          unpack(bytes, few, even, few_counts, even_counts);
          append(few_, few_counts_, few, few_counts);
          append(even_, even_counts_, even, even_counts);
        });
  }

  Kernel completed(const Kernel& kernel) const {
    return few_.size() > 0 ? completed_for(kernel, few_.rows(), few_counts_)
                           : completed_for(kernel, even_.rows(), even_counts_);
  }

 private:
  WidthSample(Index cols, bool sparse, double total, bool few, RunningSum before)
      : few_(cols, sparse),
        even_(cols, sparse),
        few_by_weight_(few),
        places_(total, width_rows, before) {
    if (few_by_weight_) few_.reserve(static_cast<Index>(total));
    else even_.reserve(width_rows);
  }

  static void append(RowList<T>& to, std::vector<double>& to_counts, const RowList<T>& from,
                     const std::vector<double>& counts) {
    for (Index i = 0; i < from.size(); ++i) to.push_back(sampled(from.rows(), i));
    to_counts.insert(to_counts.end(), counts.begin(), counts.end());
  }

  RowList<T> few_, even_;  // one of them is empty
  std::vector<double> few_counts_, even_counts_;
  std::vector<Index> even_in_few_;  // rows of `few_` that are even ones too
  bool few_by_weight_;
  Index positive_ = 0;
  EvenPlaces places_;
};

}  // namespace mercer
