#pragma once
// The state of a block Krylov run (krylov.hpp), for the files that drive it: krylov.cpp finds the
// pairs, krylov_complete.cpp sees that none was missed.

#include "solvers/krylov.hpp"
#include "solvers/tall_block.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

namespace mercer {

class Krylov {
 public:
  Krylov(Index n, const BlockApply& apply, const BlockKrylov& how, const KrylovRun& run)
      : n_(n),
        tall_(n, run.team ? *run.team : Team::alone(), run.threads),
        apply_(apply),
        asked_(how),
        run_(run),
        random_{how.seed} {}

  /// Continues a call with a smaller k. `complete_too`: also checks that nothing was missed, if the
  /// run has `complete`.
  Eigenpairs solve(Index k, bool complete_too);
  void widen(Index basis) { asked_.basis = std::max(asked_.basis, basis); }
  KrylovResult result(Eigenpairs pairs) const {
    return {std::move(pairs), passes_, ceiling_, confidence_, smallest_};
  }

 private:
  void reserve(Index k);
  void begin();
  void look_for_missed(Index k);
  void absorb();
  void rayleigh_ritz();
  void compress(Index keep);
  Index kept() const;
  bool settled(Index i) const;
  bool look_at_open_pairs();
  void form_residuals(const std::vector<Index>& which);
  Vector<double> all_residuals(Index k);
  bool copies_may_be_missing(Index k) const;
  bool stagnates();
  bool grow();
  void extend();
  void draw_probes(Index count);
  RitzSpace ritz_space(Index k);
  Matrix<double> residual_products(Index k);
  double threshold(Index k) const;
  bool complete(Index k);
  bool judge(const RitzSpace& wanted);
  Index copies(Index found, double tau) const;
  Index pairs_found(const RitzSpace& space, double& residual) const;
  bool bounded(const RitzSpace& space, double tau) const;
  void look_for_larger(Index k);
  void follow_lower_end();
  void form_probe_residuals(Index k);
  Eigenpairs pairs(Index k, const Vector<double>& residuals) const;
  [[noreturn]] void give_up(Index k, std::string_view why);

  Index n_;
  TallBlocks tall_;
  const BlockApply& apply_;
  BlockKrylov asked_, how_;
  const KrylovRun& run_;
  RowRandom random_;

  Matrix<double> q_, aq_;  // n×basis, this rank's rows, the first m_ columns in use: Q and A·Q
  Matrix<double> h_;       // QᵀAQ, upper triangle
  Index m_ = 0;
  Matrix<double> w_, aw_;  // n×block: the next block and its product
  Vector<double> theta_;   // Ritz values, descending
  Matrix<double> y_;       // their vectors in the basis, as rows
  double scale_ = 0;       // the largest |eigenvalue| seen: ‖A‖

  Index wanted_ = 0;                // pairs that must converge
  std::vector<double> settled_at_;  // Ritz value with which a pair converged; NaN: it has not
  std::vector<Index> open_;         // the first pairs that have not, a block of them
  Vector<double> open_residuals_;   // relative to scale_
  Index wanted_open_ = 0;           // how many of these are wanted
  Index starts_ = 0;                // vectors from which Krylov spaces were built
  int passes_ = 0;
  int restarts_ = 0;  // with this size of the basis

  Matrix<double> probes_;   // n×s: random vectors that nothing was known of when they were drawn
  bool probes_in_ = false;  // they lie in the basis
  Vector<double> known_;    // Ritz values that had converged when they were drawn
  Index found_ = 0;         // wanted pairs, and those after them that have converged too
  int probe_rounds_ = 0;    // how often they were drawn after the wanted pairs had converged
  int drawn_at_ = 0;        // pass before which that was done last
  int converged_at_ = 0;    // pass in which these did so first
  double ceiling_ = std::numeric_limits<double>::infinity();
  double confidence_ = 0;
  double smallest_ = std::numeric_limits<double>::infinity();

  double noise_ = 0;       // ‖error of A·q‖, estimated from the asymmetry of A
  Index best_first_ = -1;  // the first open pair, its lowest residual so far, and when that was
  double best_ = 0;
  int best_pass_ = 0;
};

}  // namespace mercer
