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
        places_(total, width_rows) {}

  void offer(const Rows<T>& rows, Index i, double weight) {
    if (!(weight > 0)) return;
    if (few_by_weight_ && ++positive_ <= width_rows) {
      few_.push_back(sampled(rows, i));
      few_counts_.push_back(weight);
    }
    if (const double count = places_.next(weight); count > 0) {
      even_.push_back(sampled(rows, i));
      even_counts_.push_back(count);
    }
  }

  Kernel completed(const Kernel& kernel) const {
    const bool few = few_by_weight_ && positive_ <= width_rows;
    return few ? completed_for(kernel, few_.rows(), few_counts_)
               : completed_for(kernel, even_.rows(), even_counts_);
  }

 private:
  RowList<T> few_, even_;
  std::vector<double> few_counts_, even_counts_;
  bool few_by_weight_;
  Index positive_ = 0;
  EvenPlaces places_;
};

}  // namespace mercer
