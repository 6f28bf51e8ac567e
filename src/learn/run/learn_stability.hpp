#pragma once
// A run beside its exact components: how many steps it should take, when it comes within an angle,
// and what the stability theorem makes of it.

#include "learn/run/checkpoint.hpp"
#include "learn/run/learn_exact.hpp"
#include "learn/run/learn_input.hpp"
#include "learn/run/learn_learner.hpp"
#include "learn/theory/mean_field.hpp"
#include "learn/theory/stability.hpp"

#include <mercer/learn.hpp>

#include <optional>

namespace mercer {

/// Whether these options need the exact components.
inline bool needs_exact(const LearnOptions& o) {
  return o.theory || o.theorem || o.until_angle > 0;
}

class RunStability {
 public:
  /// One pass over the rows: `memory`, or those of the input's source, which is left at its end.
  RunStability(const LearnOptions& options, const Exact& exact, LearnInput& in,
               const Rows<double>* memory, const std::shared_ptr<const Map<double>>& map,
               const Standard* standard, const Matrix<double>& start);

  const StepPrediction& prediction() const { return prediction_; }
  std::optional<std::int64_t> reached() const;
  bool stop() const;  ///< by `until_angle`

  /// Steps that may be taken before the next `take`: the angle is known at every one.
  static constexpr std::int64_t left(std::int64_t /*step*/) { return 1; }
  void take(const RunLearner& learner);

  Theorem theorem(bool diverged) const;

  void save(Checkpoint& to) const;
  void restore(const Checkpoint& from);

 private:
  const LearnOptions& o_;
  Vector<double> lambda_;
  Matrix<double> vectors_, start_;
  Index rows_;
  bool shuffled_, weighted_;
  MeanField field_;
  StepPrediction prediction_;
  Stability run_;
  std::int64_t taken_at_ = 0;
};

}  // namespace mercer
