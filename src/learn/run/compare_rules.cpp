#include <mercer/compare_rules.hpp>

#include "core/budget.hpp"
#include "core/monitor.hpp"
#include "core/require.hpp"
#include "learn/rules/rule.hpp"
#include "learn/run/learn_input.hpp"
#include "learn/run/learn_order.hpp"
#include "learn/run/learn_space.hpp"
#include "learn/theory/certify.hpp"
#include "simd/hebbian_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

constexpr std::size_t most_gaps = 1024;
constexpr Index compared_rows = 64;

const RuleRow& compared_rule(const std::string& name) {
  const RuleRow& rule = rule_named(name);
  require(rule.has_rate, Errc::bad_option,
          "`rule={}` has no rate, and no step to compare; choose another rule", name);
  return rule;
}

/// One run of a rule.
struct Contestant {
  const RuleRow& rule;
  Neurons neurons;
  RateRun rate;
  double time = 0;

  Contestant(const RuleRow& r, const Matrix<double>& start, const Rate& schedule)
      : rule(r), rate(schedule) {
    neurons.w = start;
    neurons.memory.assign(rule.memory(start.rows()), 0.0);
    neurons.scratch.assign(static_cast<std::size_t>(hebbian_scratch(start.rows()) + start.cols()),
                           0.0);
  }

  double next_rate(const Vector<double>& y, double square, double weight) {
    const double output = y.squaredNorm();
    const double eta = weight * rate.next({.square = square,
                                           .output = output,
                                           .longest = square * y.cwiseAbs2().maxCoeff(),
                                           .gradient = square * output,
                                           .weight = weight});
    time += eta;
    return eta;
  }

  void step(const Vector<double>& x, const Vector<double>& y, double eta, double weight,
            double limit) {
    double rest = 0;
    rule.by_row(neurons,
                {.x = x.data(), .y = y.data(), .eta = eta, .weight = weight, .rest = &rest});
    if (!std::isinf(limit)) neurons.w = neurons.w.cwiseMax(-limit).cwiseMin(limit).eval();
  }

  void require_bounded(std::int64_t step, double eta) const {
    require(neurons.w.rowwise().stableNorm().maxCoeff() <= rule.largest, Errc::not_converged,
            "step {}: with the rate {:.3g} the weights of rule {} diverge; use a smaller rate, "
            "`rate=auto` or `limit=1`",
            step, eta, rule.name);
  }
};

class Comparison {
 public:
  Comparison(const std::string& first, const std::string& second, const LearnOptions& o,
             const Matrix<double>& start)
      : o_(o),
        a_(compared_rule(first), start, o.learner.rate),
        b_(compared_rule(second), start, o.learner.rate),
        from_a_(compared_rule(second), start, o.learner.rate),
        mean_(o.learner.centre == LearnedMean::known
                  ? o.learner.mean
                  : Vector<double>(Vector<double>::Zero(start.cols()))) {
    out_.first = first;
    out_.second = second;
    out_.rate = o.learner.rate.text();
    known_ = (first == "oja" && second == "hebb-normalized") ||
             (second == "oja" && first == "hebb-normalized");
  }

  void add(const Eigen::RowVectorXd& row, double weight) {
    if (!row.allFinite()) {
      require(o_.learner.missing == MissingRow::skip, Errc::bad_data,
              "row {} has a missing value; leave such rows out", rows_ + 1);
      return;
    }
    ++rows_;
    if (!(weight > 0)) return;
    total_ += weight;
    Vector<double> x = row.transpose();
    if (o_.learner.centre == LearnedMean::running) mean_ += (x - mean_) * (weight / total_);
    x -= mean_;
    take(x, weight);
  }

  RuleComparison result() {
    require(out_.steps > 0, Errc::bad_data, "no rows to learn from");
    const auto n = static_cast<double>(out_.steps);
    out_.time = a_.time;
    out_.mean_gap_per_step /= n;
    out_.scaled_gap = moved_ > 0 ? out_.scaled_gap / moved_ : 0;
    out_.expected_gap = known_ ? out_.expected_gap / n : std::numeric_limits<double>::quiet_NaN();
    out_.angle = turned(a_.neurons.w.row(0), b_.neurons.w.row(0));
    if (out_.trace.empty() || out_.trace.back().step != last_.step) out_.trace.push_back(last_);
    return std::move(out_);
  }

 private:
  void take(const Vector<double>& x, double weight) {
    const double square = x.squaredNorm(), limit = o_.learner.limit;
    const Vector<double> y = a_.neurons.w * x;
    const double eta = a_.next_rate(y, square, weight);
    from_a_.neurons.w = a_.neurons.w;
    a_.step(x, y, eta, weight, limit);
    from_a_.step(x, y, eta, weight, limit);
    const Vector<double> own = b_.neurons.w * x;
    b_.step(x, own, b_.next_rate(own, square, weight), weight, limit);
    ++out_.steps;
    a_.require_bounded(out_.steps, eta);
    b_.require_bounded(out_.steps, eta);
    last_ = {.step = out_.steps,
             .time = a_.time,
             .eta = eta,
             .gap_per_step = (a_.neurons.w - from_a_.neurons.w).norm(),
             .gap = (a_.neurons.w - b_.neurons.w).norm(),
             .first_norm = a_.neurons.w.row(0).norm(),
             .second_norm = b_.neurons.w.row(0).norm()};
    out_.mean_gap_per_step += last_.gap_per_step;
    out_.largest_gap_per_step = std::max(out_.largest_gap_per_step, last_.gap_per_step);
    if (eta > 0) {
      out_.scaled_gap += last_.gap_per_step / (eta * eta);
      moved_ += 1;
    }
    out_.largest_gap = std::max(out_.largest_gap, last_.gap);
    out_.last_gap = last_.gap;
    const double v = y[0] * y[0];
    // y² ≤ ‖x‖² but for rounding, for weights of length 1.
    out_.expected_gap += 0.5 * v * std::sqrt(std::abs((square - v) * (square + 3 * v)));
    if ((out_.steps - 1) % stride_ == 0) keep();
  }

  void keep() {
    std::vector<RuleGap>& all = out_.trace;
    all.push_back(last_);
    if (all.size() < most_gaps) return;
    for (std::size_t i = 1; 2 * i < all.size(); ++i) all[i] = all[2 * i];
    all.resize((all.size() + 1) / 2);
    stride_ *= 2;
  }

  const LearnOptions& o_;
  Contestant a_, b_, from_a_;
  Vector<double> mean_;
  RuleComparison out_;
  RuleGap last_;
  bool known_ = false;
  double total_ = 0, moved_ = 0;
  std::int64_t rows_ = 0, stride_ = 1;
};

}  // namespace

RuleComparison compare_rules(Source<double>& source, const std::string& first,
                             const std::string& second, const LearnOptions& options) {
  LearnOptions o = options;
  o.memory = Budget(options.memory).bytes();
  o.learner.rule = first;
  require(!o.kernel || o.landmarks > 0, Errc::bad_option,
          "a comparison of rules with a kernel requires `landmarks`");
  require(o.learner.batch == 1, Errc::bad_option,
          "rules are compared row by row, not in `batch={}`", o.learner.batch);
  require(o.learner.forgetting == 0, Errc::bad_option, "rules are compared without `forgetting={}`",
          o.learner.forgetting);
  LearnInput in = take_in(source, o);
  const std::optional<Standard> standard = standard_of(in, o);
  std::unique_ptr<Source<double>> replay;
  const LearnSpace space = space_of(in, o, standard ? &*standard : nullptr, replay);
  // The learners check the options, and make the first weights.
  o.learner.rule = second;
  Hebbian(space.map(), o.learner);
  o.learner.rule = first;
  const Matrix<double> start = Hebbian(space.map(), o.learner).weights();
  Comparison run(first, second, o, start);
  const int epochs = std::max(1, o.epochs);
  require(epochs == 1 || in.again(), Errc::bad_option,
          "`epochs={}`: {} can be read only once; save it to a file", epochs, in.source->name());
  const Standard* before = in.prepared() || !standard ? nullptr : &*standard;
  const std::optional<Rows<double>> rows =
      in.prepared() ? std::optional(in.prepared_rows()) : in.memory;
  const auto map = in.features.size() > 0 ? identity_map<double>(in.features.cols()) : space.map();
  RowOrder order = rows ? RowOrder(*rows, in.weights, in.shuffled, o.learner.seed, before)
                        : RowOrder(*in.source, before);
  Reporter report(o.monitor, "comparing", "rows", static_cast<double>(in.rows) * epochs);
  double done = 0;
  Matrix<double> features;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    order.begin(epoch, 0);
    for (;;) {
      const LearnRows block = order.next(compared_rows);
      const Index n = block.rows.rows();
      if (n == 0) break;
      features.resize(n, map->features());
      map->apply(block.rows, features);
      for (Index i = 0; i < n; ++i)
        run.add(features.row(i),
                block.weights.empty() ? 1 : block.weights[static_cast<std::size_t>(i)]);
      report(done += static_cast<double>(n));
    }
  }
  return run.result();
}

RuleComparison compare_rules(const Rows<double>& rows, const std::string& first,
                             const std::string& second, const LearnOptions& options) {
  return compare_rules(*from_memory(rows), first, second, options);
}

}  // namespace mercer
