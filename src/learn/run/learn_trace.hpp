#pragma once
// Watches a run: rows of the trace, with the theory if it is known.

#include "learn/run/checkpoint.hpp"
#include "learn/run/learn_learner.hpp"
#include "learn/theory/theory.hpp"

#include <mercer/learn.hpp>

#include <optional>
#include <vector>

namespace mercer {

class RunTrace {
 public:
  /// `theory`: none when only the run itself is known. `weights`: each row has them, `features` per
  /// neuron. `bounded`: the rule's ODE is, so that there is a Lyapunov function.
  RunTrace(TraceOutput output, std::optional<Theory> theory, Index modes, Index neurons,
           bool weights = false, Index features = 0, bool bounded = true);

  /// The first weights, before any step: a separate row, if rows have weights.
  void take_start(const RunLearner& learner);

  /// The run as it stands. `regular`: one of the evenly spaced rows, over which the gap is
  /// averaged.
  void take(const RunLearner& learner, bool regular);
  /// The last row, which a resumed run does not have.
  void take_last(const RunLearner& learner);
  bool has(std::int64_t step) const { return last_step_ == step; }

  /// Thinned evenly.
  std::vector<TraceRow> rows() const;
  bool empty() const { return taken_ == 0; }
  /// λ₁ of the rows, if known from the theory.
  std::optional<double> largest_variance() const {
    return theory_ ? std::optional(theory_->eigenvalues()[0]) : std::nullopt;
  }
  std::optional<TheoryReport> report(const RunLearner& learner) const;

  void save(Checkpoint& checkpoint) const;
  /// Tells the output which of its rows count.
  void restore(const Checkpoint& checkpoint);
  void flush() const;

 private:
  TraceRow row_of(const RunLearner& learner);
  void keep(TraceRow row);

  TraceOutput output_;
  std::optional<Theory> theory_;
  Index modes_, neurons_;
  bool weights_;
  Index features_;
  bool bounded_;
  std::vector<TraceRow> kept_, early_;
  std::int64_t stride_ = 1;  // every stride-th row is kept
  std::int64_t taken_ = 0, regular_ = 0;
  std::int64_t last_step_ = -1;
  std::optional<TraceRow> last_;
  double gap_sum_ = 0, last_gap_ = 0;
};

}  // namespace mercer
