#include "learn/run/learn_run.hpp"

#include "core/require.hpp"

#include <stdexcept>

namespace mercer {

void LearnRun::save() {
  trace_.flush();
  Checkpoint c;
  c.run = run_;
  c.counts = {{"epoch", epoch_},
              {"row", position_},
              {"trace_every", trace_events_.every},
              {"epoch_rows", epoch_rows_},
              {"trace_early", trace_events_.early ? 1 : 0}};
  checks_.save(c);
  Matrix<double> weights(1, 2);
  weights << position_weight_, epoch_weight_;
  c.arrays["weights"] = weights;
  trace_.save(c);
  if (stability_) stability_->save(c);
  c.learner = learner_->save_state();
  save_checkpoint(c, o_.checkpoint);
  next_save_ = Clock::now() + checkpoint_seconds;
}

/// An earlier run's checkpoint is replaced before its trace is: a run that is killed, or finds a
/// full disk, leaves a checkpoint and a trace of the same run.
void LearnRun::start_over() {
  if (!o_.checkpoint.empty() && has_checkpoint(o_.checkpoint)) save();
  if (o_.trace.keep) o_.trace.keep(0);
  trace_.take_start(*learner_);
}

void LearnRun::resume() {
  const auto found = load_checkpoint(o_.checkpoint);
  if (!found) return start_over();
  require_same_run(*found, run_, o_.checkpoint);
  try {
    const std::int64_t every = found->counts.at("trace_every");
    require(o_.trace_every == 0 || o_.trace_every == every, Errc::bad_file,
            "checkpoint '{}' has a row of the trace every {} steps, not {}", o_.checkpoint, every,
            o_.trace_every);
    trace_events_ = {every, found->counts.at("trace_early") != 0};
    epoch_ = static_cast<int>(found->counts.at("epoch"));
    position_ = found->counts.at("row");
    epoch_rows_ = found->counts.at("epoch_rows");
    const Matrix<double>& weights = found->arrays.at("weights");
    if (weights.rows() != 1 || weights.cols() != 2) throw std::out_of_range("weights");
    position_weight_ = weights(0, 0);
    epoch_weight_ = weights(0, 1);
    checks_.restore(*found, o_.learner.components);
    report_.note(checks_.note());
    trace_.restore(*found);
    if (stability_) stability_->restore(*found);
  } catch (const std::out_of_range&) {
    fail(Errc::bad_file, "checkpoint '{}' is damaged (a part is missing)", o_.checkpoint);
  }
  learner_->load_state(found->learner);
  if (trace_.empty() && learner_->steps() == 0) trace_.take_start(*learner_);
  resumed_at_ = rows_seen();
  report_(static_cast<double>(*resumed_at_));
}

}  // namespace mercer
