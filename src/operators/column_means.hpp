#pragma once
// The means of columns, in one pass.
//
//     ColumnMeans means(d);
//     means.add(rows);
//     means.mean();
//
// Sums are taken about the first row, so a large mean costs no digits and constant columns have
// exactly their value as mean.

#include <mercer/rows.hpp>

namespace mercer {

class ColumnMeans {
 public:
  /// `skip_nan`: the mean of the cells that are there (0 for a column that has none).
  explicit ColumnMeans(Index columns, bool skip_nan = false);

  template <class T>
  void add(const Rows<T>& rows, const double* weights = nullptr, int threads = 0);

  Vector<double> mean() const;

 private:
  Vector<double> origin_;
  Vector<double> sum_;     // Σ w (x − origin)
  Vector<double> weight_;  // Σ w of the cells that count
  bool skip_nan_;
  bool started_ = false;
};

}  // namespace mercer
