#pragma once
// Blocks of tall vectors whose rows are cut into segments (core/row_segments.hpp), and shared by
// the threads and ranks of a team: all that a solver does with the n rows of its vectors.
//
//     const TallBlocks tall(d);                        // blocks of d rows, all in this process
//     const Matrix<double> gram = tall.inner(w, w);    // WᵀW of all rows, on all ranks
//
// Results have the same bits for any number of threads and ranks: sums are added in the order of
// one tree over segments, random numbers depend on the number of the row, and eigenpairs of small
// matrices are those that rank 0 has computed. BLAS uses one thread: more would
// spin for a while afterwards and take the cores from the operator's next pass.

#include "core/row_segments.hpp"
#include "core/team.hpp"
#include "linalg/lapack.hpp"
#include "solvers/tall.hpp"

#include <mercer/matrix.hpp>

#include <cstdint>
#include <functional>

namespace mercer {

/// Random numbers by row: `draw` counts the blocks that were filled.
struct RowRandom {
  std::uint64_t seed = 0, draw = 0;
};

class TallBlocks {
 public:
  explicit TallBlocks(Index n, Team& team = Team::alone(), int threads = 0);

  Team& team() const { return team_; }
  Index size() const { return segments_.all_rows(); }  ///< n: rows of all ranks
  Index rows() const { return mine_.size(); }          ///< of this rank
  Index first_row() const { return mine_.first; }

  /// AᵀB.
  Matrix<double> inner(MatrixRef<double> a, MatrixRef<double> b) const;
  /// EᵀE of a block that is not there: write(first row, E) fills rows of it, `columns` of them.
  Matrix<double> inner_of(Index columns,
                          const std::function<void(Index first, TallOut rows)>& write) const;
  /// C = AB, or C += AB, with a small B.
  void times(MatrixRef<double> a, MatrixRef<double> b, TallOut c, bool add = false) const;
  /// Q ← QT for the first t.rows() columns, in place: the result stands in the first t.cols().
  void rotate(Matrix<double>& q, const Matrix<double>& t) const;
  /// (QYᵀ)ᵀ: vectors as rows, of which this rank has its columns.
  Matrix<double> combined(const Matrix<double>& y, MatrixRef<double> q) const;
  /// The length of each column, and its largest |number|.
  Vector<double> norms(MatrixRef<double> w) const;
  Vector<double> largest(MatrixRef<double> w) const;

  /// Fills columns [from, w.cols()) with random vectors of length about 1.
  void fill_random(Matrix<double>& w, Index from, RowRandom& random) const;
  /// Fills `w` with standard normal numbers.
  void fill_normal(Matrix<double>& w, RowRandom& random) const;

  /// Of a small matrix, the same on all ranks.
  SymmetricEigen eigen(Matrix<double> a, Index k) const;
  /// Vectors as rows, k×rows(), of all ranks side by side: k×n on all ranks.
  Matrix<double> gather(const Matrix<double>& vectors) const;

 private:
  void over_segments(Index work, const std::function<void(Index first, Index rows)>& body) const;
  Index grain(Index work) const;

  Team& team_;
  int threads_;
  RowSegments segments_;
  SegmentRange own_;   // segments of this rank
  SegmentRange mine_;  // their rows
};

}  // namespace mercer
