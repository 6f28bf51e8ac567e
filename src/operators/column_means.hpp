#pragma once
// The means of columns, in one pass.
//
//     ColumnMeans means(d);
//     means.add(rows);
//     means.mean();
//
// Sums are relative to the first number of each column (to 0 for sparse rows), so a large mean
// loses no accuracy and constant columns have exactly their value as mean. They are the same bits
// for any number of threads and however rows are cut into calls of `add` (core/segments.hpp). A row
// of weight 0 counts as absent.

#include "core/segments.hpp"

#include <mercer/rows.hpp>
#include <mercer/team.hpp>

#include <cstdint>
#include <vector>

namespace mercer {

class ColumnMeans {
 public:
  /// `skip_nan`: the mean of the observed cells (0 for a column that has none).
  explicit ColumnMeans(Index columns, bool skip_nan = false);

  template <class T>
  void add(const Rows<T>& rows, const double* weights = nullptr, int threads = 0);

  /// Over a team (core/team_nodes.hpp): rows of a leaf; the first number of each column, NaN where
  /// there is none among these rows; and where all ranks begin, so many leaves before this one.
  static Index leaf_rows();
  template <class T>
  void find_origin(const Rows<T>& rows, const double* weights);
  Vector<double> origin() const;
  bool has_origin() const { return unchosen_ == 0; }
  void begin_at(std::int64_t leaf, const Vector<double>& origin);
  /// The sums of all ranks, on rank 0.
  void collect(Team& team);

  Vector<double> mean() const;
  /// What `mean()` lost when it was rounded: the mean is mean() + rest(), as exact as sums about
  /// the first numbers tell.
  Vector<double> rest() const;

 private:
  struct Sum {
    Vector<double> sum;     // Σ w (x − origin)
    Vector<double> weight;  // Σ w of the cells that count
    void merge(const Sum& later) {
      sum += later.sum;
      weight += later.weight;
    }
  };
  /// Adds rows [begin, end) to the columns of a strip.
  template <class T>
  void add_strip(const Rows<T>& rows, const double* weights, Index begin, Index end, Index first,
                 Index count, Sum& sum) const;
  Sum empty() const;
  /// Mean less origin.
  Vector<double> moved() const;

  Vector<double> origin_;
  std::vector<bool> chosen_;  // columns that have an origin
  Index unchosen_;
  Segments<Sum> tree_;
  Sum open_;  // of the leaf that is not full
  Index open_rows_ = 0;
  bool skip_nan_;
};

}  // namespace mercer
