#include "learn/run/learn_run.hpp"

#include "core/require.hpp"

#include <algorithm>

namespace mercer {

namespace {

constexpr Index chunk_rows = 1024;  // between two readings of the clock

}  // namespace

Learned LearnRun::go() {
  try {
    while (epoch_ < epochs_ && !stopped()) {
      const std::int64_t over = order_.begin(epoch_, position_);
      require(over == position_, Errc::bad_data,
              "{} has only {} rows, the checkpoint '{}' was written after {}",
              Input(in_.source->name()), over, o_.checkpoint, position_);
      run_epoch();
      if (stopped()) break;
      epoch_rows_ = position_;
      epoch_weight_ = position_weight_;
      if (check_is_due()) check_convergence();
      // A stream that ended may go on another day, where it ended.
      if (stopped() || !in_.again()) break;
      ++epoch_;
      position_ = 0;
      position_weight_ = 0;
    }
  } catch (const Error& error) {
    if (error.code() == Errc::not_converged) report_divergence();
    const auto exact = trace_.largest_variance();
    if (error.code() == Errc::not_converged && exact && o_.learner.rule == "hebb")
      throw Error(error.code(), fmt::format("{} (the exact lambda_1 of the rows is {:.3g})",
                                            error.what(), *exact));
    const bool stopped = error.code() == Errc::interrupted || bad_rows_;
    if (!stopped || (epoch_ == 0 && position_ == 0)) throw;
    interrupted_ = true;
  }
  if (!bad_rows_) in_.source->require_unchanged();
  if (!o_.checkpoint.empty()) save();
  // Of the rows that wait for their mini-batch a run that goes on makes a full one.
  learner_->flush();
  if (bad_rows_) end_at_bad_rows();
  require(learner_->rows() > 0, Errc::bad_data, "{} has no rows to learn from",
          Input(in_.source->name()));
  return result();
}

/// Rows that can be learned before something is to be done.
Index LearnRun::rows_ahead() const {
  const std::int64_t now = learner_->steps(), batch = o_.learner.batch;
  std::int64_t steps =
      std::min({trace_events_.left(now), checkpoint_events_.left(now), model_events_.left(now)});
  if (stability_) steps = std::min(steps, stability_->left(now));
  // Rows that wait for their mini-batch to fill up are not known here: the last step before an
  // event is taken row by row.
  std::int64_t rows = chunk_rows;
  if (steps <= chunk_rows)
    rows = batch == 1 ? steps : std::max<std::int64_t>(1, (steps - 1) * batch);
  if (epoch_ == 0) rows = std::min(rows, checks_.next() - rows_seen());
  return static_cast<Index>(std::clamp<std::int64_t>(rows, 1, chunk_rows));
}

bool LearnRun::stopped() const { return checks_.stop() || (stability_ && stability_->stop()); }

/// The run up to its end shows why it diverged.
void LearnRun::report_divergence() {
  if (!o_.on_divergence) return;
  try {
    if (learner_->steps() > 0 && !trace_.has(learner_->steps())) trace_.take_last(*learner_);
  } catch (const Error&) {
    // Weights or theory are beyond the range of numbers: the rows before are the trace.
  }
  if (stability_) stability_->take(*learner_);
  o_.on_divergence(trace_.rows(), stability_ && o_.theorem
                                      ? std::optional(stability_->theorem(true))
                                      : std::nullopt);
}

LearnRows LearnRun::next_rows() {
  try {
    return order_.next(rows_ahead());
  } catch (const Error& error) {
    // A file is corrected and read again; what has come from a stream may not come again.
    if (error.code() != Errc::interrupted && !in_.source->can_rewind()) bad_rows_ = error;
    throw;
  }
}

void LearnRun::end_at_bad_rows() {
  std::string text = bad_rows_->what();
  if (!o_.checkpoint.empty())
    text += fmt::format(
        "; the checkpoint '{}' holds the first {} rows: run again with `resume` on the corrected "
        "rows, from the first",
        o_.checkpoint, position_);
  if (o_.on_bad_rows) {
    std::optional<Learned> learned;
    try {
      learned = result();
    } catch (const Error&) {
      // Too few rows for a model: the error of the bad ones is reported.
    }
    if (learned) o_.on_bad_rows(*learned);
  }
  throw Error(bad_rows_->code(), text, bad_rows_->input());
}

void LearnRun::run_epoch() {
  for (;;) {
    const LearnRows block = next_rows();
    const Index rows = block.rows.rows();
    if (rows == 0) break;
    const std::int64_t before = learner_->steps();
    learner_->update(block);
    position_ += rows;
    for (Index i = 0; i < rows; ++i)
      position_weight_ += block.weights.empty() ? 1 : block.weights[static_cast<std::size_t>(i)];
    after(before);
    report_(static_cast<double>(rows_seen()));
    if (stopped()) return;
  }
  require(position_ > 0, Errc::bad_data, "{} has no rows to learn from", Input(in_.source->name()));
}

void LearnRun::after(std::int64_t before) {
  const std::int64_t now = learner_->steps();
  if (stability_ && now != before) stability_->take(*learner_);
  if (trace_events_.due(before, now)) trace_.take(*learner_, now % trace_events_.every == 0);
  if (epoch_ == 0 && check_is_due()) check_convergence();
  if (model_events_.due(before, now)) o_.on_model(model());
  if (o_.checkpoint.empty() || now == before) return;
  if (checkpoint_events_.every > 0 ? checkpoint_events_.due(before, now)
                                   : Clock::now() >= next_save_)
    save();
}

/// In the first epoch every row is new; after it a run is checked where it has seen all rows
/// equally often. In between weights follow the rows of the moment, by about η√N.
bool LearnRun::check_is_due() const { return rows_seen() >= checks_.next(); }

void LearnRun::check_convergence() {
  if (learner_->steps() == 0) return checks_.skip(rows_seen());
  checks_.take(learner_->look(moment().get()), rows_seen());
  report_.note(checks_.note());
}

}  // namespace mercer
