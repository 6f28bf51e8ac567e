#include <mercer/learn.hpp>

#include "core/budget.hpp"
#include "core/memory.hpp"
#include "core/monitor.hpp"
#include "core/require.hpp"
#include "core/weights.hpp"
#include "learn/rules/rule.hpp"
#include "learn/run/learn_checks.hpp"
#include "learn/run/learn_exact.hpp"
#include "learn/run/learn_input.hpp"
#include "learn/run/learn_learner.hpp"
#include "learn/run/learn_moment.hpp"
#include "learn/run/learn_order.hpp"
#include "learn/run/learn_space.hpp"
#include "learn/run/learn_stability.hpp"
#include "learn/run/learn_trace.hpp"
#include "learn/theory/conditions.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace mercer {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int most_epochs = 100;  // if `epochs` is 0
constexpr Index single_modes = 16;
constexpr Index most_traced = 4096;  // weights per row of the trace
constexpr Index chunk_rows = 1024;   // between two readings of the clock
constexpr auto checkpoint_seconds = std::chrono::seconds(10);

void check(const LearnOptions& o) {
  require(o.epochs >= 0, Errc::bad_option, "`epochs={}` is negative", o.epochs);
  require(o.until >= 0 && o.until < 90, Errc::bad_option,
          "`until={}` is not an angle between 0 and 90 degrees", o.until);
  require(o.until_angle >= 0 && o.until_angle < 90, Errc::bad_option,
          "`until_angle={}` is not an angle between 0 and 90 degrees", o.until_angle);
  require(!o.ddof || *o.ddof == 0 || *o.ddof == 1, Errc::bad_option, "`ddof={}` must be 0 or 1",
          o.ddof.value_or(0));
  require(o.trace_every >= 0 && o.checkpoint_every >= 0 && o.model_every >= 0, Errc::bad_option,
          "a number of steps is negative");
  if (o.theorem) require_ode(rule_named(o.learner.rule));
  require(!(o.map && o.kernel), Errc::bad_option, "a kernel and a map are mutually exclusive");
  require(o.landmarks == 0 || o.kernel, Errc::bad_option, "`landmarks` requires a kernel");
  require(o.landmarks >= 0, Errc::bad_option, "`landmarks={}` is negative", o.landmarks);
  if (o.kernel && o.landmarks == 0) {
    // Kernel Hebbian learning: weights are combinations of all rows.
    const LearnerOptions& l = o.learner;
    const auto needs_landmarks = [](bool asked, const std::string& what) {
      require(!asked, Errc::bad_option,
              "{} requires `landmarks`: without them a kernel is learned from all rows by gha, row "
              "by row, about their mean",
              what);
    };
    needs_landmarks(l.rule != "gha" && l.rule != "oja", fmt::format("`rule={}`", l.rule));
    needs_landmarks(l.batch != 1, "`batch`");
    needs_landmarks(l.centre != LearnedMean::running, "a mean other than that of the rows");
    needs_landmarks(l.forgetting > 0, "`forgetting`");
    needs_landmarks(!std::isinf(l.limit), "`limit`");
    needs_landmarks(o.theory, "`theory` with a kernel");
    needs_landmarks(o.theorem, "`theorem` with a kernel");
    needs_landmarks(o.until_angle > 0, "`until_angle` with a kernel");
    needs_landmarks(o.trace_weights, "`trace_weights` with a kernel");
    needs_landmarks(l.start.size() > 0 || l.start_norm != 1, "`start` with a kernel");
  }
  require(!o.resume || !o.checkpoint.empty(), Errc::bad_option, "`resume` requires `checkpoint`");
  if (!o.checkpoint.empty()) require_own_checkpoint(o.checkpoint);
}

/// Steps of one kind of event: the multiples of `every`.
struct Events {
  std::int64_t every = 0;  ///< 0: never
  bool early = false;      ///< and steps 1, 2, 3, 4, 5, 7, 9, 12, … before the first of them

  std::int64_t next(std::int64_t step) const {
    if (every == 0) return std::numeric_limits<std::int64_t>::max();
    if (early && step < every)
      for (std::int64_t s = 1; s < every; s += std::max<std::int64_t>(1, s / 4))
        if (s > step) return s;
    return step - step % every + every;
  }
  std::int64_t left(std::int64_t step) const { return every == 0 ? next(step) : next(step) - step; }
  bool due(std::int64_t before, std::int64_t now) const { return next(before) <= now; }
};

class Run {
 public:
  Run(Source<double>& source, const LearnOptions& options)
      : o_(options),
        in_(take_in(source, options)),
        standard_(standard_of(in_, options)),
        space_(space_of(in_, options, standard(), replay_)),
        rows_(in_.prepared() ? std::optional(in_.prepared_rows()) : in_.memory),
        before_(in_.prepared() ? nullptr : standard()),
        map_(in_.features.size() > 0 ? identity_map<double>(in_.features.cols()) : space_.map()),
        learner_(in_.anchors.size() > 0
                     ? kernel_learner(*options.kernel, std::exchange(in_.anchors, {}), in_.weights,
                                      options)
                     : hebbian_learner(map_, watched(options.learner))),
        exact_(find_exact()),
        trace_(make_trace()),
        stability_(make_stability()),
        order_(rows_ ? RowOrder(*rows_, in_.weights, in_.shuffled, options.learner.seed, before_)
                     : RowOrder(*in_.source, before_)),
        epochs_(epochs()),
        checks_(options, in_.memory.has_value(), in_.rows),
        report_(options.monitor, "learning", "rows",
                static_cast<double>(in_.rows) * static_cast<double>(epochs_)) {
    trace_events_ = {trace_every(), o_.trace_every == 0};
    checkpoint_events_.every = o_.checkpoint.empty() ? 0 : o_.checkpoint_every;
    model_events_.every = o_.on_model ? o_.model_every : 0;
    if (!o_.checkpoint.empty()) run_ = run_description(o_, in_, space_);
    if (o_.resume) resume();
    else start_over();
    if (stability_ && o_.on_prediction && learner_->steps() == 0)
      o_.on_prediction(stability_->prediction(),
                       in_.rows * epochs_ / std::max<Index>(1, o_.learner.batch));
  }

  Learned go() {
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

 private:
  const Standard* standard() const { return standard_ ? &*standard_ : nullptr; }

  /// Rows that are read once, or that fade, are checked while they are learned; others are read
  /// again.
  LearnerOptions watched(LearnerOptions learner) {
    if (!rows_)
      if (const auto whole = in_.source->whole()) {
        judged_ = whole->rows;
        judged_weights_ = weights_of(whole->weights, whole->rows.rows());
      }
    if (rows_) {
      judged_ = *rows_;
      judged_weights_ = in_.weights;
    }
    if (learner.forgetting > 0) judged_.reset();
    learner.watch = !judged_;
    return learner;
  }

  std::unique_ptr<RowsMoment> moment() const {
    if (!judged_) return nullptr;
    const LearnerOptions& l = o_.learner;
    return std::make_unique<RowsMoment>(*judged_, judged_weights_, before_, map_, l.centre,
                                        learner_->mean(), l.threads);
  }

  int epochs() const {
    const int epochs = o_.epochs > 0 ? o_.epochs : in_.memory ? most_epochs : 1;
    require(
        epochs == 1 || in_.again(), Errc::bad_option,
        "`epochs={}`: {} can be read only once; save it to a file, or use `order=shuffled`, which "
        "keeps its rows",
        epochs, in_.source->name());
    return epochs;
  }

  std::int64_t trace_every() const {
    if (o_.trace_every > 0) return o_.trace_every;
    const double steps = static_cast<double>(in_.rows) * epochs_ /
                         static_cast<double>(std::max<Index>(1, o_.learner.batch));
    return in_.rows > 0 ? std::max<std::int64_t>(1, std::llround(steps / 1000)) : 1000;
  }

  std::optional<Exact> find_exact() {
    if (!needs_exact(o_)) return std::nullopt;
    require(in_.again(), Errc::bad_option,
            "`{}` needs a pass before the run, and {} can be read only once; save it to a file",
            o_.theory    ? "theory"
            : o_.theorem ? "theorem"
                         : "until_angle",
            in_.source->name());
    Exact exact =
        exact_pairs(rows_ ? &*rows_ : nullptr, in_.weights, *in_.source, map_, before_, o_);
    if (!in_.memory) in_.source->rewind();
    in_.rows = exact.rows;
    return exact;
  }

  std::optional<RunStability> make_stability() {
    if (!(o_.theorem || o_.until_angle > 0)) return std::nullopt;
    std::optional<RunStability> out;
    out.emplace(o_, *exact_, in_, rows_ ? &*rows_ : nullptr, map_, before_, learner_->weights());
    if (!in_.memory) in_.source->rewind();
    return out;
  }

  RunTrace make_trace() {
    const Index k = o_.learner.components, features = learner_->weights().cols();
    require(!o_.trace_weights || k * features <= most_traced, Errc::bad_option,
            "`trace_weights` would add {} columns to the trace; at most {} are supported",
            k * features, most_traced);
    if (!o_.theory) return RunTrace(o_.trace, std::nullopt, 0, k, o_.trace_weights, features);
    Theory theory(exact_->values, exact_->vectors, learner_->weights(),
                  flow_of(rule_named(o_.learner.rule), k));
    const Index wanted = o_.modes > 0 ? o_.modes : k == 1 ? single_modes : k;
    const Index most = k == 1 ? theory.modes() : std::min(k, theory.modes());
    return RunTrace(o_.trace, std::move(theory), std::min(wanted, most), k, o_.trace_weights,
                    features);
  }

  /// Rows that can be learned before something is to be done.
  Index rows_ahead() const {
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

  bool stopped() const { return checks_.stop() || (stability_ && stability_->stop()); }

  /// The run up to its end shows why it diverged.
  void report_divergence() {
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

  LearnRows next_rows() {
    try {
      return order_.next(rows_ahead());
    } catch (const Error& error) {
      // A file is corrected and read again; what has come from a stream may not come again.
      if (error.code() != Errc::interrupted && !in_.source->can_rewind()) bad_rows_ = error;
      throw;
    }
  }

  [[noreturn]] void end_at_bad_rows() {
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

  void run_epoch() {
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
    require(position_ > 0, Errc::bad_data, "{} has no rows to learn from",
            Input(in_.source->name()));
  }

  void after(std::int64_t before) {
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

  std::int64_t rows_seen() const { return learner_->rows() + learner_->skipped(); }

  /// In the first epoch every row is new; after it a run is checked where it has seen all rows
  /// equally often. In between weights follow the rows of the moment, by about η√N.
  bool check_is_due() const { return rows_seen() >= checks_.next(); }

  void check_convergence() {
    if (learner_->steps() == 0) return checks_.skip(rows_seen());
    checks_.take(learner_->look(moment().get()), rows_seen());
    report_.note(checks_.note());
  }

  void save() {
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
  void start_over() {
    if (!o_.checkpoint.empty() && has_checkpoint(o_.checkpoint)) save();
    if (o_.trace.keep) o_.trace.keep(0);
    trace_.take_start(*learner_);
  }

  void resume() {
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

  Model<double> model() const {
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
  Certificate certificate(const ModelParts<double>& parts) const {
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

  Learned result() {
    // After the last checkpoint: a resumed run has neither this row nor this check.
    if (learner_->steps() > 0 && !trace_.has(learner_->steps())) trace_.take_last(*learner_);
    if (stability_) stability_->take(*learner_);  // rows of an incomplete mini-batch
    if (checks_.none() || (!interrupted_ && !checks_.stop()))
      checks_.take_last(learner_->look(moment().get()), rows_seen());
    Learned out{.model = model(),
                .convergence = checks_.latest(),
                .stop = interrupted_ ? LearnStop::interrupted
                        : stability_ && stability_->stop()
                            ? LearnStop::angle
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

  const LearnOptions& o_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_save_ = Clock::now() + checkpoint_seconds;
  LearnInput in_;
  std::unique_ptr<Source<double>> replay_;
  std::optional<Standard> standard_;
  LearnSpace space_;
  std::optional<Rows<double>> rows_;        // what is learned, where it lies in memory
  const Standard* before_;                  // what is done to it before
  std::shared_ptr<const Map<double>> map_;  // and then
  std::optional<Rows<double>> judged_;  // rows on which convergence is checked; none: those learned
  const double* judged_weights_ = nullptr;
  std::unique_ptr<RunLearner> learner_;
  std::optional<Exact> exact_;
  RunTrace trace_;
  std::optional<RunStability> stability_;
  RowOrder order_;
  int epochs_;
  ConvergenceChecks checks_;
  Reporter report_;
  Events trace_events_, checkpoint_events_, model_events_;
  std::vector<std::pair<std::string, std::string>> run_;
  std::optional<std::int64_t> resumed_at_;

  int epoch_ = 0;
  std::int64_t position_ = 0;                      // rows of the epoch that are over
  std::int64_t epoch_rows_ = 0;                    // of a whole epoch; 0: not known yet
  double position_weight_ = 0, epoch_weight_ = 0;  // of the same rows
  mutable std::optional<double> left_out_;         // by landmarks, once it is asked for
  bool interrupted_ = false;
  std::optional<Error> bad_rows_;  // that ended the run
};

}  // namespace

Learned learn(Source<double>& source, const LearnOptions& options) {
  LearnOptions settled = options;
  settled.learner.rule = rule_named(options.learner.rule).name;
  check(settled);
  settled.memory = Budget(options.memory).bytes();
  return Run(source, settled).go();
}

Learned learn(const Rows<double>& rows, const LearnOptions& options, Weights weights) {
  return learn(*from_memory(rows, weights), options);
}

Theorem theorem(Source<double>& source, const LearnOptions& options) {
  LearnOptions asked = options;
  asked.theorem = true;
  std::optional<Theorem> diverged;
  asked.on_divergence = [&](const std::vector<TraceRow>& trace,
                            const std::optional<Theorem>& report) {
    diverged = report;
    if (options.on_divergence) options.on_divergence(trace, report);
  };
  try {
    return *learn(source, asked).theorem;
  } catch (const Error& error) {
    if (error.code() != Errc::not_converged || !diverged) throw;
    return *diverged;
  }
}

Theorem theorem(const Rows<double>& rows, const LearnOptions& options) {
  return theorem(*from_memory(rows), options);
}

}  // namespace mercer
