#include <mercer/learn.hpp>

#include "core/budget.hpp"
#include "core/require.hpp"
#include "learn/rules/rule.hpp"
#include "learn/run/learn_run.hpp"
#include "learn/theory/conditions.hpp"

#include <cmath>

namespace mercer {

namespace {

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

}  // namespace

Learned learn(Source<double>& source, const LearnOptions& options) {
  LearnOptions settled = options;
  settled.learner.rule = rule_named(options.learner.rule).name;
  check(settled);
  settled.memory = Budget(options.memory).bytes();
  return LearnRun(source, settled).go();
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
