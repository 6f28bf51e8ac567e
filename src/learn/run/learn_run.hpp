#pragma once
// One learning run: set up from options and rows, learned step by step, saved and resumed, and its
// result. learn_setup.cpp, learn_run.cpp, learn_resume.cpp and learn_result.cpp have these parts.

#include "core/monitor.hpp"
#include "learn/run/learn_checks.hpp"
#include "learn/run/learn_exact.hpp"
#include "learn/run/learn_input.hpp"
#include "learn/run/learn_learner.hpp"
#include "learn/run/learn_moment.hpp"
#include "learn/run/learn_order.hpp"
#include "learn/run/learn_space.hpp"
#include "learn/run/learn_stability.hpp"
#include "learn/run/learn_trace.hpp"

#include <mercer/learn.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mercer {

/// Steps of one kind of event: the multiples of `every`.
struct RunEvents {
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

class LearnRun {
 public:
  LearnRun(Source<double>& source, const LearnOptions& options);

  Learned go();

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr auto checkpoint_seconds = std::chrono::seconds(10);

  const Standard* standard() const { return standard_ ? &*standard_ : nullptr; }
  LearnerOptions watched(LearnerOptions learner);
  std::unique_ptr<RowsMoment> moment() const;
  int epochs() const;
  std::int64_t trace_every() const;
  std::optional<Exact> find_exact();
  std::optional<RunStability> make_stability();
  RunTrace make_trace();

  Index rows_ahead() const;
  bool stopped() const;
  void report_divergence();
  LearnRows next_rows();
  [[noreturn]] void end_at_bad_rows();
  void run_epoch();
  void after(std::int64_t before);
  std::int64_t rows_seen() const { return learner_->rows() + learner_->skipped(); }
  bool check_is_due() const;
  void check_convergence();

  void save();
  void start_over();
  void resume();

  Model<double> model() const;
  Certificate certificate(const ModelParts<double>& parts) const;
  Learned result();

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
  RunEvents trace_events_, checkpoint_events_, model_events_;
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

}  // namespace mercer
