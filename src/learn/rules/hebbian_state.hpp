#pragma once
// What a `Hebbian` consists of. update: hebbian.cpp; mini-batches: mini_batch.cpp; the model:
// hebbian_model.cpp; bytes: hebbian_bytes.cpp; convergence: convergence.cpp.

#include "learn/rules/rule.hpp"
#include "learn/theory/watch.hpp"

#include <mercer/hebbian.hpp>

namespace mercer {

/// Sums over a part of a mini-batch, x being x − centre, and room to work in: memory that is taken
/// anew for every batch costs more than the products.
struct BatchSums {
  Matrix<double> yx;
  Vector<double> x;
  double square = 0;
  Matrix<double> rows, y;

  void start(Index k, Index d, Index most);
  /// `weights`: one a row, or null.
  void add(const double* f, Index n, Index stride, const double* weights, const Matrix<double>& w,
           const Vector<double>& centre);
};

struct Hebbian::State {
  State(std::shared_ptr<const Map<double>> map, LearnerOptions options);

  std::shared_ptr<const Map<double>> map;
  LearnerOptions options;
  const RuleRow* rule;
  RateRun rate;
  Neurons neurons;

  std::int64_t rows = 0, skipped = 0, steps = 0;
  double weight = 0;      ///< of the rows
  bool weighted = false;  ///< were weights ever given?
  double time = 0, eta = 0;
  Vector<double> mean;        ///< that is taken off rows
  Vector<double> mean_lost;   ///< what its sums have lost to rounding so far
  Vector<double> input_sum;   ///< of rows before a map, those that wait included
  Vector<double> input_lost;  ///< what that has lost to rounding
  double total = 0;           ///< E‖x − m‖² of all rows alike
  double recent_total = 0;    ///< the same with the weights of `covariance`
  Matrix<double> covariance;  ///< E yyᵀ; later rows weigh more, as W was worse before
  /// Variance of the rows along each neuron as a part of `recent_total`, with the same weights. The
  /// parts of each row add up to its projection on a line of the span of W (row by row) or on that
  /// span (mini-batches): never to more than its length, for any weights.
  Vector<double> energy;

  Matrix<double> pending;  ///< rows that wait for their mini-batch to be full
  Vector<double> pending_weights;
  Index waiting = 0;
  std::vector<BatchSums> sums;
  /// Of the weights after each mini-batch, later ones weighing more (Polyak & Juditsky 1992): large
  /// steps find the directions fast, and their noise averages out.
  Matrix<double> average;

  /// Some recent rows and their outputs when they came, to judge by.
  Matrix<double> recent, recent_outputs;
  std::int64_t remembered = 0;
  Matrix<double> looked_at;  ///< weights at the last check; empty: none yet
  Watch watch;
  /// The best bound on the angle so far, widened by the rotation of the weights since; then the
  /// variances that came with it and their errors.
  Vector<double> known;

  /// Neurons by falling variance.
  std::vector<Index> by_energy() const;
  /// The rows of B, in that order.
  Matrix<double> orthonormal_components() const;

  /// What the model is made of. A rule without a rate averages by itself.
  Matrix<double> settled() const { return averages() ? average : weights(); }
  bool averages() const { return options.batch > 1 && rule->has_rate; }
  Matrix<double> weights() const { return neurons.w.topRows(components()); }
  Index components() const { return options.components; }
  Index features() const { return neurons.w.cols(); }

  /// Rows of features that are all finite, `stride` apart; weights above 0, or null.
  void learn(const double* f, Index n, Index stride, const double* weights);
  void learn_rows(const double* f, Index n, Index stride, const double* weights);
  void learn_batch(const double* f, Index n, Index stride, const double* weights);

  /// Share of the next rows, of this weight, in an average of all so far, and in one that trusts
  /// row i in proportion to i².
  double faded(double count) const;  ///< share of what was that they make forget
  double plain_gain(double count) const;
  double late_gain(double count) const;

  /// The rate of the coming step; counts it.
  double next_rate(StepFacts facts);
  void hold_limit();
  void remember(const double* x, const double* y);
  void require_bounded(double output, double square) const;
  /// Rules multiply squares of rows with each other: a double holds that of rows between these.
  static constexpr double longest_row = 1e70, shortest_row = 1e-70;
  static constexpr double largest_square = longest_row * longest_row;
  static constexpr double smallest_square = shortest_row * shortest_row;
  [[noreturn]] void too_long(std::int64_t row, const double* x) const;
  void note_short(const double* x);
  void look_at_lengths(const double* f, Index n, Index stride);
  /// Throws when all rows so far lie so close together that their squares are lost.
  void require_range() const;
  double shortest_seen = 0;  ///< largest entry of centred rows whose square is below that range
  void require_weights() const;
  [[noreturn]] void diverged() const;
};

}  // namespace mercer
