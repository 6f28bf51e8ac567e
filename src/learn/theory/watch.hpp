#pragma once
// How far components are from those of a stream whose rows come once.
//
// A few test vectors T, fixed for a while, meet every row: E[Tx xᵀ] = TR. In the span of T the
// rows' components are eigenvectors of TRTᵀ; what TR has outside of it is a residual, which over
// the gap to the variance outside bounds how far they may be off. Sums are taken over blocks of
// rows, and how blocks differ tells the standard error of all of it; rows that depend on each other
// over less than a block do no harm.

#include "learn/theory/certify.hpp"

#include <mercer/hebbian.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace mercer {

class Watch {
 public:
  /// Nothing is watched when `components` is 0.
  Watch(Index components, Index features, LearnedMean centre, std::uint64_t seed);
  bool on() const { return k_ > 0; }
  /// The test vectors span the whole space: others would add nothing.
  bool whole() const { return t_.rows() == t_.cols(); }

  /// A row of features; `mean` is the learner's.
  void add(const double* row, double weight, const Vector<double>& mean);

  /// The components' quality on the rows since `restart`; empty while they are too few. The bounds
  /// hold at 95 % for all components together.
  Verdict verdict(const Matrix<double>& components) const;
  /// Rows of which that is the verdict; how many there were when it began.
  std::int64_t rows() const { return static_cast<std::int64_t>(counts_[seen]); }
  std::int64_t begun() const { return static_cast<std::int64_t>(counts_[before]); }

  /// Starts again with test vectors that have followed the rows.
  void restart(const Matrix<double>& components, std::int64_t rows);

  /// visit(name, data, size) of everything that changes.
  template <class Self, class Visit>
  static void each_part(Self& self, Visit&& visit) {
    visit("watch_counts", self.counts_.data(), Index{size});
    const auto all = [&](const char* name, auto& part) { visit(name, part.data(), part.size()); };
    all("watch_tests", self.t_);
    all("watch_centre", self.centre_);
    all("watch_waiting", self.rows_);
    all("watch_weights", self.weights_);
    all("watch_sum", self.sum_);
    all("watch_weighted_sum", self.weighted_sum_);
    all("watch_mean", self.x_);
    all("watch_squares", self.squares_);
    all("watch_lengths", self.lengths_);
  }

 private:
  void take_block(const Vector<double>& mean);
  void clear();

  enum : std::size_t {
    waiting,
    blocks,
    seen,
    before,
    weight,
    weight_square,
    square,
    centred,
    size
  };

  Index k_;
  LearnedMean how_;
  std::uint64_t seed_;
  std::array<double, size> counts_{};
  Matrix<double> t_;                   // p×D, orthonormal
  Vector<double> centre_;              // rows are taken about it
  Matrix<double> rows_;                // of a block
  Vector<double> weights_;             // of them
  Matrix<double> sum_, weighted_sum_;  // ΣA_b and Σω_b A_b, A_b = Σ ω z xᵀ of a block; p×D
  Vector<double> x_;                   // Σωx
  Matrix<double> squares_;             // Σ (A_b Tᵀ)², each entry; p×p
  Vector<double> lengths_;             // Σ ‖row of A_b‖²
};

}  // namespace mercer
