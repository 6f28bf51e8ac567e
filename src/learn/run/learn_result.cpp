#include "learn/run/learn_run.hpp"

#include "core/memory.hpp"
#include "core/require.hpp"

#include <algorithm>
#include <limits>

namespace mercer {

Model<double> LearnRun::model() const {
  ModelParts<double> parts = learner_->model().parts();
  const Schema& schema = in_.source->schema();
  parts = space_.finished(std::move(parts), standard(), in_.input_mean);
  parts.feature_names = schema.feature_names;
  parts.label_column = schema.label;
  parts.id_column = schema.id;
  if (epoch_rows_ > 0) {
    // Rows that came again are not new rows: variances stay, sums are those of one epoch.
    parts.eigenvalues *= epoch_weight_ / parts.report.weight;
    parts.report.n_samples = epoch_rows_;
    parts.report.weight = epoch_weight_;
  }
  if (o_.ddof) {
    Report& report = parts.report;
    require(report.weight > *o_.ddof, Errc::bad_data,
            "the row weights add up to {:g}; variances with `ddof={}` need more", report.weight,
            *o_.ddof);
    report.total_variance *=
        (report.weight - report.ddof) / (report.weight - static_cast<double>(*o_.ddof));
    report.ddof = *o_.ddof;
  }
  parts.report.solver.passes = std::min(epoch_ + 1, epochs_);
  parts.report.solver.converged = checks_.latest().converged;
  parts.report.certificate = certificate(parts);
  parts.report.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  parts.report.peak_memory_bytes = peak_memory_bytes();
  return Model<double>(std::move(parts));
}

/// Of the variances that were measured, wide enough for the learned ones beside them.
Certificate LearnRun::certificate(const ModelParts<double>& parts) const {
  Certificate out;
  const Index k = parts.eigenvalues.size();
  if (!checks_.latest().converged || checks_.latest().variances.size() != k) {
    out.reason = fmt::format(
        "learned, and the run is {}: variances are those along its weights, which may be far "
        "from "
        "the components",
        checks_.latest().converged ? "not measured" : "not known to have converged");
    return out;
  }
  const bool landmarks = space_.in_kernel_space();
  if (landmarks && !in_.memory) {
    out.reason =
        "learned with landmarks, and their approximation error is unknown for rows that are not "
        "stored";
    return out;
  }
  if (landmarks && !left_out_)
    left_out_ = space_.left_out(*in_.memory, in_.weights, standard(), o_.learner.threads);
  const double left = left_out_.value_or(0);
  // Sums over the rows in double.
  out.rounding = 64 * std::numeric_limits<double>::epsilon() * parts.report.total_variance *
                 parts.report.weight;
  for (Index j = 0; j < k; ++j) {
    const double learned = parts.eigenvalues[j];
    // R has the divisor N whatever that of the model's variances is.
    const double scale = parts.report.weight, middle = checks_.latest().variances[j] * scale;
    const double error = checks_.latest().errors[j] * scale + out.rounding;
    out.low.push_back(std::min(learned, middle - error));
    // K less its part in the landmarks' space has no negative eigenvalue, hence none above its
    // trace.
    out.high.push_back(std::max(learned, middle + error) + left);
  }
  out.confidence = 0.95;
  out.reason =
      judged_ || in_.memory
          ? "residuals of the components over all rows; other eigenvectors were searched from "
            "random vectors"
          : "standard error of a learned variance, from sums over blocks of 64 rows of the "
            "stream";
  if (landmarks) out.reason += "; and the trace error of the landmarks";
  return out;
}

Learned LearnRun::result() {
  // After the last checkpoint: a resumed run has neither this row nor this check.
  if (learner_->steps() > 0 && !trace_.has(learner_->steps())) trace_.take_last(*learner_);
  if (stability_) stability_->take(*learner_);  // rows of an incomplete mini-batch
  if (checks_.none() || (!interrupted_ && !checks_.stop()))
    checks_.take_last(learner_->look(moment().get()), rows_seen());
  Learned out{.model = model(),
              .convergence = checks_.latest(),
              .stop = interrupted_                       ? LearnStop::interrupted
                      : stability_ && stability_->stop() ? LearnStop::angle
                                                         : checks_.stop().value_or(LearnStop::end),
              .rows = learner_->rows(),
              .skipped = learner_->skipped(),
              .steps = learner_->steps(),
              .time = learner_->time(),
              .epochs = std::min(epoch_ + 1, epochs_),
              .shuffled = in_.shuffled,
              .resumed_at = resumed_at_,
              .trace = trace_.rows(),
              .theory = trace_.report(*learner_)};
  if (stability_) {
    out.prediction = stability_->prediction();
    out.reached = stability_->reached();
    if (o_.theorem) out.theorem = stability_->theorem(false);
  }
  return out;
}

}  // namespace mercer
