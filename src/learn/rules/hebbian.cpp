#include "learn/rules/hebbian_state.hpp"

#include "core/monitor.hpp"
#include "core/random.hpp"
#include "core/require.hpp"
#include "core/weights.hpp"
#include "data/finite.hpp"
#include "learn/run/incoming_rows.hpp"
#include "linalg/blas.hpp"
#include "maps/finite_features.hpp"
#include "simd/hebbian_step.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mercer {

namespace {

/// Rows that are mapped at a time.
constexpr Index block_rows = 64;
/// One of so many rows is remembered, and so many of them.
constexpr std::int64_t remember_one_of = 4;
constexpr Index most_remembered = 64;
constexpr double largest_limit = 1e50, smallest_start = 1e-50;
/// Outputs that are less of a row than this are their own projection, to that share of the row.
constexpr double faint = 1e-9;

void check_start(Index d, const LearnerOptions& o, const RuleRow& rule) {
  require(rule.has_rate, Errc::bad_option,
          "`rule={}` starts from its first rows; `start` requires another rule", rule.name);
  const Index k = o.components;
  if (o.start.size() == 0) return;
  require(o.start.cols() == d, Errc::bad_option,
          "`start` has {} number{} per component, the rows have {} features", o.start.cols(),
          o.start.cols() == 1 ? "" : "s", d);
  require(o.start.rows() == k, Errc::bad_option,
          "`start` has {} row{} of weights for `components={}`; give one per component",
          o.start.rows(), o.start.rows() == 1 ? "" : "s", k);
  for (Index j = 0; j < k; ++j) {
    for (Index i = 0; i < d; ++i)
      require(std::isfinite(o.start(j, i)), Errc::bad_option,
              "`start`: weight {} of component {} is {}; first weights must be finite", i + 1,
              j + 1, o.start(j, i));
    const double norm = o.start.row(j).stableNorm();
    require(norm > 0, Errc::bad_option,
            "`start`: the weights of component {} are all 0, where no rule moves them; give at "
            "least one other number",
            j + 1);
    // Weights are squared, and their squares again.
    require(
        norm >= smallest_start, Errc::bad_option,
        "`start`: the weights of component {} have length {:.3g}; give a length from {:g} to {:g}",
        j + 1, norm, smallest_start, rule.largest);
    require(norm <= rule.largest, Errc::bad_option,
            "`start`: the weights of component {} have length {:.3g}, more than the limit of {:g} "
            "beyond which a run counts as diverged",
            j + 1, norm, rule.largest);
    require(o.start.row(j).cwiseAbs().maxCoeff() <= o.limit, Errc::bad_option,
            "`start`: component {} has a weight of magnitude {:.3g}, beyond `limit={}`", j + 1,
            o.start.row(j).cwiseAbs().maxCoeff(), o.limit);
  }
}

void check(const Map<double>& map, const LearnerOptions& o, const RuleRow& rule) {
  const Index d = map.features(), k = o.components;
  require(k >= 1, Errc::bad_option, "`components={}` must be at least 1", k);
  require(k <= d, Errc::bad_option,
          "`components={}` is too large: {} columns have at most {} components", k, d, d);
  require(!rule.one_component || k == 1, Errc::bad_option,
          "`rule={}` learns one component, not {}; gha learns several", rule.name, k);
  require(o.batch >= 1, Errc::bad_option, "`batch={}` must be at least 1", o.batch);
  require(o.forgetting >= 0 && o.forgetting < 1, Errc::bad_option,
          "`forgetting={}` must be at least 0 and below 1", o.forgetting);
  require(o.limit > 0, Errc::bad_option, "`limit={}` must be greater than 0", o.limit);
  // Weights are squared, and their squares again.
  require(o.limit <= largest_limit || std::isinf(o.limit), Errc::bad_option,
          "`limit={}` must be at most {:g}", o.limit, largest_limit);
  if (o.centre == LearnedMean::known) {
    require(o.mean.size() == d, Errc::bad_option, "the known mean has {} numbers for {} features",
            o.mean.size(), d);
    require(o.mean.allFinite(), Errc::bad_option, "the known mean is not finite");
  } else {
    require(o.mean.size() == 0, Errc::bad_option,
            "a mean was given, but centre is not LearnedMean::known");
  }
  require(o.start_norm >= smallest_start && o.start_norm <= rule.largest, Errc::bad_option,
          "`start_norm={}` must be from {:g} to {:g}", o.start_norm, smallest_start, rule.largest);
  if (o.start.size() > 0 || o.start_norm != 1) check_start(d, o, rule);
}

}  // namespace

Hebbian::State::State(std::shared_ptr<const Map<double>> m, LearnerOptions o)
    : map(std::move(m)),
      options(std::move(o)),
      rule(&rule_named(options.rule)),
      rate(options.rate),
      watch(0, 0, LearnedMean::none, 0) {
  require(map != nullptr, Errc::bad_option, "a learner needs a map");
  options.rule = rule->name;
  check(*map, options, *rule);
  if (options.watch)
    watch = Watch(options.components, map->features(), options.centre, options.seed);
  const Index k = options.components, d = map->features();
  const Index all = options.batch > 1 ? std::min(k + rule->spare(k), d) : k;
  Random random(options.seed);
  neurons.w = Matrix<double>::NullaryExpr(all, d, [&] { return random.normal(); });
  if (options.start.size() > 0) neurons.w.topRows(k) = options.start;
  orthonormal_rows(neurons.w);  // spare neurons stay beside those that are given
  if (options.start.size() > 0) neurons.w.topRows(k) = options.start;
  else if (options.start_norm != 1) neurons.w.topRows(k) *= options.start_norm;
  neurons.memory.assign(rule->memory(all), 0.0);
  neurons.scratch.assign(static_cast<std::size_t>(hebbian_scratch(all) + d), 0.0);
  mean =
      options.centre == LearnedMean::known ? options.mean : Vector<double>(Vector<double>::Zero(d));
  mean_lost = Vector<double>::Zero(d);
  if (!map->is_identity()) input_sum = input_lost = Vector<double>::Zero(map->inputs());
  covariance = Matrix<double>::Zero(k, k);
  energy = Vector<double>::Zero(k);
  known = Vector<double>::Zero(1 + 2 * k);
  known[0] = 90;
  recent = Matrix<double>::Zero(most_remembered, d);
  recent_outputs = Matrix<double>::Zero(most_remembered, k);
  hold_limit();
  if (options.batch > 1) {
    pending.resize(options.batch, d);
    pending_weights.resize(options.batch);
  }
  if (averages()) average = neurons.w;
}

double Hebbian::State::faded(double count) const {
  return options.forgetting == 0 ? 0 : 1 - std::pow(1 - options.forgetting, count);
}

double Hebbian::State::plain_gain(double count) const {
  return std::max(count / (weight + count), faded(count));
}

double Hebbian::State::late_gain(double count) const {
  const double before = weight / (weight + count);
  return std::max(1 - before * before * before, faded(count));
}

double Hebbian::State::next_rate(StepFacts facts) {
  ++steps;
  if (!rule->has_rate) return eta = 0;
  if (rule->explain) {
    // Weights without a bound: a rate that follows the outputs would fall as they grow, and hide
    // it.
    const double length = std::max(neurons.w.squaredNorm(), 1e-300);
    facts.output /= length;
    facts.longest /= length;
    facts.gradient /= length;
  }
  eta = rate.next(facts);
  if (options.forgetting > 0 && recent_total > 0) {
    const double largest = covariance.diagonal().maxCoeff();
    const double fading = faded(static_cast<double>(facts.rows) * facts.weight);
    // Before much is known variances may be anything; the total is safe, and so is this row.
    const double safe = 0.5 / std::max(recent_total, facts.square);
    eta = std::max(eta, std::min(fading / largest, safe) / facts.weight);
  }
  eta *= facts.weight;
  require(std::isfinite(eta) && eta >= 0, Errc::not_converged, "step {}: the rate {} is {}", steps,
          options.rate.text(), eta);
  time += eta;
  return eta;
}

void Hebbian::State::hold_limit() {
  if (std::isinf(options.limit)) return;
  double* w = neurons.w.data();
  for (Index i = 0; i < neurons.w.size(); ++i)
    w[i] = std::clamp(w[i], -options.limit, options.limit);
}

void Hebbian::State::remember(const double* x, const double* y) {
  const Index at = static_cast<Index>(remembered++ % most_remembered);
  recent.row(at) = Eigen::Map<const Eigen::RowVectorXd>(x, features());
  recent_outputs.row(at) = Eigen::Map<const Eigen::RowVectorXd>(y, components());
}

/// Outputs reveal diverging weights, at the cost of k numbers per row. (Written so that NaN fails.)
void Hebbian::State::require_bounded(double output, double square) const {
  const double longest = std::isinf(options.limit)
                             ? rule->largest
                             : options.limit * std::sqrt(static_cast<double>(features()));
  const double k = static_cast<double>(neurons.w.rows());
  if (!(output <= 1.01 * k * longest * longest * square)) [[unlikely]]
    diverged();
}

/// The same at the end of a call, for the last step that it took.
void Hebbian::State::require_weights() const {
  const double longest = std::isinf(options.limit)
                             ? rule->largest
                             : options.limit * std::sqrt(static_cast<double>(features()));
  const double k = static_cast<double>(neurons.w.rows());
  if (!(neurons.w.squaredNorm() <= 1.01 * k * longest * longest)) diverged();
}

void Hebbian::State::too_long(std::int64_t row, const double* x) const {
  fail(Errc::bad_data,
       "row {} has length {:.2g} about the mean, more than the limit of {:g}: scale the data", row,
       Eigen::Map<const Vector<double>>(x, features()).stableNorm(), longest_row);
}

void Hebbian::State::note_short(const double* x) {
  shortest_seen = std::max(shortest_seen,
                           Eigen::Map<const Vector<double>>(x, features()).cwiseAbs().maxCoeff());
}

void Hebbian::State::require_range() const {
  require(total >= smallest_square || shortest_seen == 0, Errc::bad_data,
          "the rows differ by no more than {:.2g}, less than the limit of {:g}: scale the data",
          shortest_seen, shortest_row);
}

void Hebbian::State::diverged() const {
  require_range();
  if (rule->explain) {
    fail(Errc::not_converged, "step {}, rate {:.3g}: {}", steps, eta, rule->explain(neurons));
  }
  fail(Errc::not_converged,
       "step {}: with the rate {:.3g} the weights of rule {} diverge; stay well below {:.2g}, one "
       "over the mean square of the rows{}, or use `rate=auto` or `limit=1`",
       steps, eta, rule->name, total > 0 ? 1 / total : 0.0,
       weighted ? " (a rate is multiplied by the row's weight)" : "");
}

/// The row after is centred before a step, so that its outputs fall out of the step's own sweep.
void Hebbian::State::learn_rows(const double* f, Index n, Index stride, const double* weights) {
  const Index d = features(), k = components();
  const bool running = options.centre == LearnedMean::running;
  const bool limited = !std::isinf(options.limit);
  Matrix<double> x(2, d), y(2, k);
  double square = 0, next_square = 0;
  const auto weight_of = [&](Index i) { return weights ? weights[i] : 1.0; };
  const auto centre = [&](Index i, double* out, double& length) {
    length = subtract_mean(f + i * stride, mean.data(), d, out);
    if (!(length <= largest_square)) [[unlikely]]
      too_long(rows + skipped + (i > 0 ? 2 : 1), out);
    if (length < smallest_square) [[unlikely]]
      note_short(out);
    if (!running) return;
    // Rows before this one have been counted, but for the one that is being learned.
    const double own = weight_of(i), before = weight + (i > 0 ? weight_of(i - 1) : 0);
    const double gain = std::max(own / (before + own), faded(own));
    move_mean(mean.data(), mean_lost.data(), gain, out, d);
    length *= (1 - gain) * (1 - gain);
  };
  double* now = x.row(0).data();
  double* next = x.row(1).data();
  double* out = y.row(0).data();
  double* next_out = y.row(1).data();
  centre(0, now, square);
  outputs(neurons.w.data(), k, d, now, out, neurons.scratch.data());
  for (Index i = 0; i < n; ++i) {
    const bool more = i + 1 < n;
    if (more) centre(i + 1, next, next_square);
    const Eigen::Map<const Vector<double>> outs(out, k);
    const double output = outs.squaredNorm();
    require_bounded(output, square);
    const double own = weight_of(i), plain = plain_gain(own), late = late_gain(own);
    // (x·v)²/‖v‖² with v = Wᵀy: at most ‖x‖² whatever W is, and Σy² where W is orthonormal.
    const bool direct = limited || !rule->has_rest;
    double rest = 0, spanned = direct ? (neurons.w.transpose() * outs).squaredNorm() : 0;
    const double step_rate = next_rate({.square = square,
                                        .output = output,
                                        .longest = square * outs.cwiseAbs2().maxCoeff(),
                                        .gradient = square * output,
                                        .rows = 1,
                                        .weight = own});
    // With a running mean the row was centred by its own help: x − m₋ = (x − m)/(1 − gain).
    total = running && plain < 1 ? (1 - plain) * total + plain / (1 - plain) * square
                                 : total + plain * (square - total);
    recent_total += late * (square - recent_total);
    for (Index a = 0; a < k; ++a)
      for (Index b = 0; b < k; ++b) covariance(a, b) += late * (out[a] * out[b] - covariance(a, b));
    if (rows % remember_one_of == 0) remember(now, out);
    ++rows;
    weight += own;
    const double amnesic = std::max(std::min(1.0, 3 * own / weight), faded(own));
    rule->by_row(neurons, {.x = now,
                           .y = out,
                           .eta = step_rate,
                           .weight = own,
                           .gain = amnesic,
                           .next = more && !limited ? next : nullptr,
                           .next_y = next_out,
                           .rest = &rest});
    if (!direct) spanned = output > faint * square ? rest - square + 2 * output : output;
    const double part = output > 0 ? output / spanned : 0;
    energy += late * (part * outs.cwiseAbs2() - energy);
    if (limited) {
      hold_limit();
      if (more) outputs(neurons.w.data(), k, d, next, next_out, neurons.scratch.data());
    }
    std::swap(now, next);
    std::swap(out, next_out);
    square = next_square;
  }
}

void Hebbian::State::learn(const double* f, Index n, Index stride, const double* weights) {
  weighted = weighted || weights;
  for (Index i = 0; watch.on() && i < n; ++i)
    watch.add(f + i * stride, weights ? weights[i] : 1, mean);
  if (options.batch == 1) return learn_rows(f, n, stride, weights);
  for (Index i = 0; i < n;) {
    if (waiting == 0 && n - i >= options.batch) {
      learn_batch(f + i * stride, options.batch, stride, weights ? weights + i : nullptr);
      i += options.batch;
      continue;
    }
    pending_weights[waiting] = weights ? weights[i] : 1;
    pending.row(waiting++) = Eigen::Map<const Eigen::RowVectorXd>(f + i * stride, features());
    ++i;
    if (waiting < options.batch) continue;
    waiting = 0;
    learn_batch(pending.data(), options.batch, features(), pending_weights.data());
  }
}

Hebbian::Hebbian(std::shared_ptr<const Map<double>> map, LearnerOptions options)
    : state_(std::make_unique<State>(std::move(map), std::move(options))) {}
Hebbian::~Hebbian() = default;
Hebbian::Hebbian(Hebbian&&) noexcept = default;
Hebbian& Hebbian::operator=(Hebbian&&) noexcept = default;

void Hebbian::update(const Rows<double>& rows, Weights row_weights) {
  const double* weights = weights_of(row_weights, rows.rows());
  State& s = *state_;
  const Index d = s.map->inputs();
  const auto seen = [&] { return s.rows + s.skipped + s.waiting; };
  require(rows.cols() == d, Errc::bad_data, "row {} has {} columns, those before it have {}",
          seen() + 1, rows.cols(), d);
  for (Index i = 0; weights && i < rows.rows(); ++i)
    require(weights[i] >= 0 && std::isfinite(weights[i]), Errc::bad_data,
            "the weight of row {} is {}; weights must be numbers of 0 or more", seen() + i + 1,
            weights[i]);
  const BlasThreads one(1);
  const bool direct = s.map->is_identity() && !rows.sparse();
  const Index block = direct ? std::max(block_rows, s.options.batch) : block_rows;
  Matrix<double> features(direct ? 0 : std::min(block, rows.rows()), s.features());
  const auto take = [&](Index first, Index count) {
    if (count == 0) return;
    const double* own = weights ? weights + first : nullptr;
    if (direct) return s.learn(rows.row(first), count, rows.stride(), own);
    const Rows<double> part = rows.middle(first, count);
    if (s.input_sum.size() > 0) add_rows(part, own, s.input_sum, s.input_lost);
    s.map->require_domain(part, static_cast<Index>(seen()));
    s.map->apply(part, features.topRows(count));
    for (Index i = 0; i < count; ++i)
      if (!all_finite(features.row(i).data(), features.cols())) {
        if (s.map->space() == Space::features)
          require_finite_features(*s.map, part, static_cast<Index>(seen()));
        fail(Errc::bad_data, "row {}: a feature overflows; scale the columns", seen() + i + 1);
      }
    s.learn(features.data(), count, features.cols(), own);
  };
  Reporter report(s.options.monitor, "learning", "rows", static_cast<double>(rows.rows()));
  for (Index i = 0; i < rows.rows(); i += block) {
    report(static_cast<double>(i));
    const Index count = std::min(block, rows.rows() - i);
    const bool weigh =
        !weights || std::find(weights + i, weights + i + count, 0.0) == weights + i + count;
    if (weigh && clean(rows, i, count, s.options.threads)) {
      take(i, count);
      continue;
    }
    Index first = i;
    for (Index r = i; r < i + count; ++r) {
      const bool hole = missing(rows, r, seen() + (r - first) + 1, s.options.missing);
      if (!hole && (!weights || weights[r] > 0)) continue;
      take(first, r - first);
      // A row of weight 0 is one that was seen, and nothing is learned from it.
      ++(hole ? s.skipped : s.rows);
      first = r + 1;
    }
    take(first, i + count - first);
  }
  if (s.steps > 0) s.require_range();
  if (s.steps > 0) s.require_weights();
}

void Hebbian::flush() {
  State& s = *state_;
  if (const Index count = std::exchange(s.waiting, 0); count > 0) {
    const BlasThreads one(1);
    s.learn_batch(s.pending.data(), count, s.features(), s.pending_weights.data());
  }
  if (s.steps > 0) s.require_range();
  if (s.steps > 0) s.require_weights();
}

}  // namespace mercer
