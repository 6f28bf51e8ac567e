#pragma once
// A copy of the rows of all ranks of a team, for methods that compare every row with every other.

#include "core/team.hpp"

#include <mercer/rows.hpp>

#include <cstdint>
#include <vector>

namespace mercer {

template <class T>
class AllRows {
 public:
  /// `mine`: the rows of this rank, with a weight each, or null on all ranks. All ranks construct
  /// it together, and fail together.
  AllRows(Team& team, const Rows<T>& mine, const double* weights);

  Rows<T> rows() const { return dense_.size() > 0 ? Rows<T>(dense_) : Rows<T>(sparse_); }
  const double* weights() const { return weights_.empty() ? nullptr : weights_.data(); }

 private:
  void share_entries(Team& team, const Rows<T>& mine, const std::vector<std::int64_t>& rows,
                     std::int64_t first);

  Matrix<T> dense_;
  Csr<T> sparse_;
  std::vector<double> weights_;
};

}  // namespace mercer
