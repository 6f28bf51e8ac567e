#pragma once
// What Moments consists of: the leaf that is open, the tree of those that are full, and rows that
// wait for a block to be full.

#include "core/segments.hpp"
#include "operators/leaf_sums.hpp"

#include <mercer/moments.hpp>
#include <mercer/team.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace mercer {

class TeamTraffic;

class Moments::Impl {
 public:
  explicit Impl(Index features) : leaves(features), shift(Vector<double>::Zero(features)) {}

  template <class T>
  void add(const Rows<T>& rows, const double* weights, int threads);

  /// The shift, or what it would be if no more rows came.
  Vector<double> shift_now() const;
  /// All sums about that, in a fixed order.
  LeafSum total() const;

  /// Σ w (x_j − s_j)², or a little more; never negative.
  double squares(const LeafSum& total, Index j) const {
    // A sum of squares is not negative. Sums that were merged about another shift may be, by no
    // more than their rounding, so the two together bound it.
    return std::max(total.second(j, j), 0.0) + (carried.size() > 0 ? carried[j] : 0.0);
  }
  /// The bound r_i²/(ε·second_ii) for the centred scatter matrix, and r_i² itself.
  double rounding_constant(const LeafSum& total) const;
  Vector<double> rounding_squares(const LeafSum& total, bool centred = true) const;

  /// Over a team (core/team_nodes.hpp): rows of a leaf, the leaves before those of this rank, and
  /// the sums of all ranks on rank 0. Rows, weights and the shift are for the caller to set.
  Index leaf_rows(bool sparse_rows) const;
  void begin_at(std::int64_t leaf) { tree_.begin_at(leaf); }
  void collect(Team& team);
  /// What `collect` sends for rows that begin at `first[rank]` (core/team_nodes.hpp); `shifted`: as
  /// the ranks know it.
  static void add_collect(TeamTraffic& traffic, const std::vector<std::int64_t>& first,
                          const Leaves& leaves, bool sparse, bool shifted);

  std::vector<double> state() const;
  bool restore(const std::vector<double>& state);  ///< false: it is none

  Leaves leaves;
  Vector<double> shift;
  bool shifted = false;    // the shift is chosen
  Vector<double> missing;  // x − shift of missing cells; empty: NaN
  std::int64_t rows = 0;
  RunningSum weight;

  LeafSum merged;          // of other moments; about our shift. Empty: none
  Vector<double> carried;  // r² of these; empty: none

 private:
  template <class T>
  void add_dense(const Rows<T>& rows, const double* weights, int threads);
  template <class T>
  void add_sparse(const Rows<T>& rows, const double* weights, int threads);
  /// Whole blocks, none waiting.
  template <class T>
  void add_blocks(const Rows<T>& rows, const double* weights, int threads);
  template <class T>
  void add_leaves(const Rows<T>& rows, const double* weights, int threads);
  template <class T>
  void wait(const Rows<T>& rows, const double* weights);
  void close_leaf();

  const double* waiting_weights() const {
    return waiting_weighted_ ? waiting_weight_.data() : nullptr;
  }
  Rows<double> waiting() const { return Rows<double>(waiting_).middle(0, waiting_rows_); }
  LeafShift how() const { return {shift, missing.size() > 0 ? missing.data() : nullptr}; }
  double additions() const;

  Segments<LeafSum> tree_{leaves.radix};
  LeafSum open_;  // of the leaf that is not full; valid when open_rows_ > 0
  Index open_rows_ = 0;
  LeafSum sparse_;  // the same for sparse rows that are not shifted
  Index sparse_rows_ = 0;
  bool any_sparse_ = false;
  Matrix<double> waiting_;  // rows, as they came
  Vector<double> waiting_weight_;
  Index waiting_rows_ = 0;
  bool waiting_weighted_ = false;
};

}  // namespace mercer
