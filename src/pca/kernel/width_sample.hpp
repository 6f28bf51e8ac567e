#pragma once
// Rows of a stream from which an open width is chosen: those that `even_rows` takes of rows in
// memory.

#include "kernels/weighted_width.hpp"
#include "pca/kernel/sampled_rows.hpp"

#include <vector>

namespace mercer {

template <class T>
class WidthSample {
 public:
  /// `total`: the weight of all rows to come.
  WidthSample(Index cols, bool sparse, double total)
      : few_(cols, sparse),
        even_(cols, sparse),
        few_by_weight_(total <= static_cast<double>(width_rows)),
        places_(total, width_rows) {
    if (few_by_weight_) few_.reserve(static_cast<Index>(total));
    else even_.reserve(width_rows);
  }

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

  Kernel completed(const Kernel& kernel) const {
    return few_.size() > 0 ? completed_for(kernel, few_.rows(), few_counts_)
                           : completed_for(kernel, even_.rows(), even_counts_);
  }

 private:
  RowList<T> few_, even_;  // one of them is empty
  std::vector<double> few_counts_, even_counts_;
  std::vector<Index> even_in_few_;  // rows of `few_` that are even ones too
  bool few_by_weight_;
  Index positive_ = 0;
  EvenPlaces places_;
};

}  // namespace mercer
