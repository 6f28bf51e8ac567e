#pragma once
// The kernel matrix of rows as a SymmetricOperator, kept as far as a budget allows.
//
//     KernelMatrix<double> a(kernel_tiles(kernel, rows), {.memory = std::size_t{4} << 30});
//     KrylovResult found = krylov_pairs(a, 10);     // found.pairs, found.passes
//
// With weights w, u = √w and s = Σw it is the matrix whose eigenvalues are those of the weighted
// scatter in feature space,
//
//     A = U (I − 1wᵀ/s) K (I − w1ᵀ/s) U          U = diag(u); w = 1: A = JKJ
//
// never formed: vectors are centred before and after the product with K. Only tiles on and above
// the diagonal exist; each is used twice. Tiles that fit the budget are computed in the first pass
// and kept, the others are computed again in every pass. A pass costs N²·b flops times two, and
// N²/2 kernel values for what is not kept. Kernel values are computed and stored in T; products
// and sums are in double.
//
// `rounded` keeps twice as many tiles, in fixed point: 32 bits of max k(x, x), which no entry of a
// valid kernel exceeds. That is 8 bits more than a float has where it counts. Tiles that are not
// kept are rounded like the others. The matrix is then off by at most `rounding()` in norm, and the
// same in every pass.
// `apply_exact` computes every tile again and returns the effect of the rounding on a block.
//
// Rows are cut into segments (core/row_segments.hpp), and what these contribute to the rows of one
// is added in the order of the binary tree over them: the bits of a product are the same for any
// number of threads and ranks, and for kept and recomputed tiles. With a team each rank has all
// rows of the data and its own rows of the vectors, and computes the pairs of segments that
// segment_pairs.hpp gives it. Per pass it sends its vectors and what it has computed for the rows
// of others, add_ring() in all, besides a few sums of b numbers.

#include "core/row_segments.hpp"
#include "operators/segment_pairs.hpp"
#include "operators/segment_sums.hpp"
#include "operators/tiles.hpp"
#include "simd/symmetric_product.hpp"

#include <mercer/matrix.hpp>
#include <mercer/progress.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mercer {

class TeamTraffic;

struct KernelMatrixOptions {
  bool center = true;
  const double* weights = nullptr;  ///< one a row; null: all 1
  std::size_t memory = 0;           ///< bytes for tiles that are kept
  bool rounded = false;             ///< round all to fixed point, when T is double
  bool check = false;               ///< check every 2×2 minor: the kernel may not be valid
  int threads = 0;
  Monitor monitor{};     ///< "kernel matrix", in tiles of a pass
  Team* team = nullptr;  ///< ranks that share the rows of the vectors; null: alone
};

template <class T>
class KernelMatrix {
 public:
  /// Side of a tile: large enough for matrix products at full speed.
  static constexpr Index side = RowSegments::least;

  KernelMatrix(Tiles<T> tiles, KernelMatrixOptions options);
  ~KernelMatrix();
  KernelMatrix(const KernelMatrix&) = delete;
  KernelMatrix& operator=(const KernelMatrix&) = delete;

  Index size() const { return source_.size; }
  /// out = A·v; with a team, this rank's rows of both.
  void apply(const Matrix<double>& v, Matrix<double>& out);
  /// The same with no tile rounded, at the price of computing all of them.
  void apply_exact(const Matrix<double>& v, Matrix<double>& out);

  /// What the first pass finds out on its way: valid after the first `apply`.
  struct Seen {
    Vector<double> mean{};     ///< K w / s, whether centred or not
    double trace = 0;          ///< of A
    double squares = 0;        ///< ‖A‖_F²
    double plain_squares = 0;  ///< ‖U K U‖_F²: before it is centred
    BadMinor bad_minor{};      ///< the worst, when asked to check
    /// Bound on ‖A − what is multiplied with‖₂: half a unit an entry when tiles are rounded,
    /// infinite when an entry was too large for it; else 0.
    double rounding = 0;

    template <class Use>
    void members(Use&& use) {
      use(mean, trace, squares, plain_squares, bad_minor, rounding);
    }
  };
  const Seen& seen() const { return seen_; }
  const Vector<double>& mean() const { return seen_.mean; }
  double trace() const { return seen_.trace; }
  double squares() const { return seen_.squares; }
  double plain_squares() const { return seen_.plain_squares; }
  const BadMinor& bad_minor() const { return seen_.bad_minor; }
  double rounding() const { return seen_.rounding; }
  /// The first pass was made by an earlier run, which has seen this.
  void continue_after(Seen seen) {
    seen_ = std::move(seen);
    first_ = false;
  }
  bool is_first() const { return first_; }  ///< there was no pass yet

  /// Largest k(x, x).
  double largest_diagonal() const { return source_.diagonal.maxCoeff(); }

  /// Tiles of this rank, and those that are kept.
  Index tiles() const { return static_cast<Index>(tiles_.size()); }
  Index kept_tiles() const { return kept_; }

  /// The most partial sums of a segment's rows that there were at a time.
  Index most_sums() const { return most_sums_; }

  /// Bytes that all tiles of N rows would take, and what a rank takes besides them in a pass with b
  /// vectors.
  static double bytes_of_all(double rows, bool rounded = false);
  static double bytes_of_pass(double rows, double vectors, int threads, int rank = 0,
                              int ranks = 1);
  /// Adds the vectors and sums that ranks send each other in a pass with b vectors; the first pass
  /// has one more.
  static void add_ring(TeamTraffic& traffic, Index rows, Index vectors);
  /// Pairs of rows whose kernel values a rank computes.
  static double pairs_of(Index rows, int rank, int ranks);

 private:
  struct Tile {
    Index row, col;  // in tiles
  };
  /// A pair of segments, and its tiles.
  struct Pair {
    SegmentPair segments;
    Index first, end;
  };
  struct Room;
  struct Pass;
  static constexpr double largest_integer = 2147483647;  // of 32 bits
  static Index panels_for(Index vectors) { return (vectors + panel_width - 1) / panel_width; }
  /// Numbers of a block of rows in panels.
  static Index block_size(Index rows, Index panels) { return panels * rows * panel_width; }
  void plan_pairs(const std::vector<SegmentPair>& pairs);
  Eigen::RowVectorXd column_sums(const Matrix<double>& v, bool weighted) const;
  void centre_in(Matrix<double>& v) const;
  void centre_out(Matrix<double>& y) const;
  void multiply(Matrix<double>& block);
  void meet_others(Pass& pass);
  void finish_first_sums(const Pass& pass);
  void multiply_pairs(const std::vector<Pair>& pairs, const double* others, SegmentRange range,
                      SegmentSums& sums, Pass& pass);
  void add_pair(const Pair& pair, const double* v_own, const double* v_other, Room& room);
  void compute(Index tile, T* out) const;
  bool round_tile(Index tile, T* values, std::int32_t* kept) const;
  const T* whole_tile(Index tile, Room& room);
  const double* strip(Index tile, const T* whole, Index first, Index count, double* wide) const;
  void finish_first_pass(const Vector<double>& kw);
  double tile_squares(Index tile, const T* values) const;

  Tiles<T> source_;
  KernelMatrixOptions options_;
  Vector<double> weights_, roots_;
  double weight_ = 0;
  Team& team_;
  RowSegments segments_;
  SegmentRange own_, rows_;               // of this rank: segments, and their rows
  std::vector<std::vector<Pair>> steps_;  // pairs of each step of the ring
  std::vector<Tile> tiles_;
  Index kept_ = 0;
  void* store_ = nullptr;  // kept tiles, in order: T, or 32-bit numbers of units when rounded
  double unit_ = 0;
  bool first_ = true;
  bool filled_ = false;  // kept tiles have been computed
  bool exact_ = false;   // this pass leaves the kept tiles alone
  Seen seen_;
  Index most_sums_ = 0;
};

}  // namespace mercer
