#pragma once
// The triangular factor of centred rows, streamed: RᵀR = Σ w (x − m)(x − m)ᵀ.
//
// Its singular values are those of the rows to working precision, where the scatter matrix squares
// the condition number and loses every σ below √ε·σ₁. Rows are cut into leaves of a fixed number;
// threads factor a leaf each, and the factors meet in a tree (core/segments.hpp), so the bits
// depend neither on the threads nor on the blocks in which rows come. A row of weight 0 counts
// as absent. Cost: about 2·N·d² flops, one read of the data; 5·d² numbers per thread.

#include "core/segments.hpp"

#include <mercer/rows.hpp>
#include <mercer/team.hpp>

#include <cstdint>
#include <vector>

namespace mercer {

class StreamedQr {
 public:
  /// `mean`: zeros for rows that are not centred.
  StreamedQr(Vector<double> mean, int threads);

  template <class T>
  void add(const Rows<T>& rows, const double* weights = nullptr);

  /// Over a team (core/team_nodes.hpp): rows of a leaf, the leaves before those of this rank, and
  /// the factors of all ranks on rank 0.
  Index leaf_rows() const { return leaf_rows_; }
  void begin_at(std::int64_t leaf) { tree_.begin_at(leaf); }
  void collect(Team& team);

  /// R, d×d upper triangular. No more rows can be added afterwards.
  Matrix<double> factor();

 private:
  struct Factor {
    Matrix<double> r;
    void merge(const Factor& later);
  };

  Vector<double> mean_;
  int threads_;
  Index leaf_rows_;
  Segments<Factor> tree_;
  std::vector<Matrix<double>> rooms_;  // centred rows of leaves; those that wait are in the first
  Index waiting_ = 0;
};

}  // namespace mercer
