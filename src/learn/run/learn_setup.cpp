#include "learn/run/learn_run.hpp"

#include "core/require.hpp"
#include "core/weights.hpp"
#include "learn/rules/rule.hpp"
#include "maps/finite_features.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mercer {

namespace {

constexpr int most_epochs = 100;  // if `epochs` is 0
constexpr Index single_modes = 16;
constexpr Index most_traced = 4096;  // weights per row of the trace

/// Rows that are learned in another order are named by their own numbers here.
void require_features(const Rows<double>& rows, const Standard* before, const Map<double>& map,
                      const std::vector<std::string>& names) {
  constexpr Index piece = 256;
  Matrix<double> phi(std::min(piece, rows.rows()), map.features());
  for (Index first = 0; first < rows.rows(); first += piece) {
    const Rows<double> part = rows.middle(first, std::min(piece, rows.rows() - first));
    const Matrix<double> copy = before ? (*before)(part) : Matrix<double>();
    const Rows<double> x = before ? Rows<double>(copy) : part;
    map.require_domain(x, first);
    map.apply(x, phi.topRows(x.rows()));
    if (!phi.topRows(x.rows()).allFinite()) require_finite_features(map, x, first, names);
  }
}

}  // namespace

LearnRun::LearnRun(Source<double>& source, const LearnOptions& options)
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
  if (rows_ && in_.shuffled && options.map)
    require_features(*rows_, before_, *map_, in_.source->schema().feature_names);
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

/// Rows that are read once, or that fade, are checked while they are learned; others are read
/// again.
LearnerOptions LearnRun::watched(LearnerOptions learner) {
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

std::unique_ptr<RowsMoment> LearnRun::moment() const {
  if (!judged_) return nullptr;
  const LearnerOptions& l = o_.learner;
  return std::make_unique<RowsMoment>(*judged_, judged_weights_, before_, map_, l.centre,
                                      learner_->mean(), l.threads);
}

int LearnRun::epochs() const {
  const int epochs = o_.epochs > 0 ? o_.epochs : in_.memory ? most_epochs : 1;
  require(
      epochs == 1 || in_.again(), Errc::bad_option,
      "`epochs={}`: {} can be read only once; save it to a file, or use `order=shuffled`, which "
      "keeps its rows",
      epochs, in_.source->name());
  return epochs;
}

std::int64_t LearnRun::trace_every() const {
  if (o_.trace_every > 0) return o_.trace_every;
  const double steps = static_cast<double>(in_.rows) * epochs_ /
                       static_cast<double>(std::max<Index>(1, o_.learner.batch));
  return in_.rows > 0 ? std::max<std::int64_t>(1, std::llround(steps / 1000)) : 1000;
}

std::optional<Exact> LearnRun::find_exact() {
  if (!needs_exact(o_)) return std::nullopt;
  require(in_.again(), Errc::bad_option,
          "`{}` needs a pass before the run, and {} can be read only once; save it to a file",
          o_.theory    ? "theory"
          : o_.theorem ? "theorem"
                       : "until_angle",
          in_.source->name());
  Exact exact = exact_pairs(rows_ ? &*rows_ : nullptr, in_.weights, *in_.source, map_, before_, o_);
  if (!in_.memory) in_.source->rewind();
  in_.rows = exact.rows;
  return exact;
}

std::optional<RunStability> LearnRun::make_stability() {
  if (!(o_.theorem || o_.until_angle > 0)) return std::nullopt;
  std::optional<RunStability> out;
  out.emplace(o_, *exact_, in_, rows_ ? &*rows_ : nullptr, map_, before_, learner_->weights());
  if (!in_.memory) in_.source->rewind();
  return out;
}

RunTrace LearnRun::make_trace() {
  const Index k = o_.learner.components, features = learner_->weights().cols();
  require(!o_.trace_weights || k * features <= most_traced, Errc::bad_option,
          "`trace_weights` would add {} columns to the trace; at most {} are supported",
          k * features, most_traced);
  const bool bounded = rule_named(o_.learner.rule).flow != Flow::hebb;
  if (!o_.theory)
    return RunTrace(o_.trace, std::nullopt, 0, k, o_.trace_weights, features, bounded);
  Theory theory(exact_->values, exact_->vectors, learner_->weights(),
                flow_of(rule_named(o_.learner.rule), k));
  const Index wanted = o_.modes > 0 ? o_.modes : k == 1 ? single_modes : k;
  const Index most = k == 1 ? theory.modes() : std::min(k, theory.modes());
  return RunTrace(o_.trace, std::move(theory), std::min(wanted, most), k, o_.trace_weights,
                  features, bounded);
}

}  // namespace mercer
