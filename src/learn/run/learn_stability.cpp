#include "learn/run/learn_stability.hpp"

#include "learn/rules/rule.hpp"
#include "learn/theory/conditions.hpp"
#include "learn/theory/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace mercer {

namespace {

constexpr double default_angle = 1;  // degrees
constexpr Index field_rows = 64;

/// Where h̄ is compared: the first component, and the direction of the first weights.
Matrix<double> test_points(const Exact& exact, const Matrix<double>& start) {
  Matrix<double> points(2, exact.vectors.cols());
  points.row(0) = exact.vectors.row(0);
  points.row(1) = start.row(0) / start.row(0).norm();
  return points;
}

}  // namespace

RunStability::RunStability(const LearnOptions& options, const Exact& exact, LearnInput& in,
                           const Rows<double>* memory,
                           const std::shared_ptr<const Map<double>>& map, const Standard* standard,
                           const Matrix<double>& start)
    : o_(options),
      lambda_(exact.values),
      vectors_(exact.vectors),
      start_(start),
      rows_(exact.rows),
      shuffled_(in.shuffled),
      weighted_(in.source->schema().weighted || in.weights != nullptr),
      field_(exact.mean, test_points(exact, start), exact.rows, in.shuffled),
      run_(exact.vectors.topRows(std::min(start.rows(), exact.vectors.rows()))) {
  Matrix<double> features;
  double weight_sum = 0, steps = 0;
  const auto add = [&](const Rows<double>& rows, const double* weights) {
    for (Index first = 0; first < rows.rows(); first += field_rows) {
      const Index count = std::min(field_rows, rows.rows() - first);
      const Rows<double> part = rows.middle(first, count);
      const Matrix<double> copy = standard ? (*standard)(part) : Matrix<double>();
      features.resize(count, map->features());
      map->apply(standard ? Rows<double>(copy) : part, features);
      for (Index r = 0; r < count; ++r) {
        const double weight = weights ? weights[first + r] : 1;
        field_.add(features.row(r).data(), weight);
        if (!(weight > 0)) continue;  // no step
        weight_sum += weight;
        ++steps;
      }
    }
  };
  if (memory) {
    add(*memory, in.weights);
  } else {
    while (const auto block = in.source->next())
      add(block->rows, block->weights.empty() ? nullptr : block->weights.data());
  }
  prediction_ = predict_steps({.rule = rule_named(o_.learner.rule),
                               .lambda = lambda_,
                               .vectors = vectors_,
                               .start = start_,
                               .sample = field_.sample(),
                               .rate = o_.learner.rate,
                               .batch = o_.learner.batch,
                               .forgetting = o_.learner.forgetting,
                               .weight = steps > 0 ? weight_sum / steps : 1,
                               .limit = o_.learner.limit,
                               .angle = o_.until_angle > 0 ? o_.until_angle : default_angle});
}

std::optional<std::int64_t> RunStability::reached() const {
  return run_.reached() > 0 ? std::optional(run_.reached()) : std::nullopt;
}

bool RunStability::stop() const { return o_.until_angle > 0 && run_.reached() > 0; }

void RunStability::take(const RunLearner& learner) {
  const std::int64_t now = learner.steps();
  if (now == taken_at_) return;
  taken_at_ = now;
  // The first row may be its own mean: a run that ends there has no variance, hence no model.
  run_.take(now, learner.weights(), learner.has_variance() ? prediction_.angle : -1);
}

Theorem RunStability::theorem(bool diverged) const {
  return stability_theorem({.options = o_,
                            .rule = rule_named(o_.learner.rule),
                            .lambda = lambda_,
                            .vectors = vectors_,
                            .start = start_,
                            .field = field_,
                            .run = run_,
                            .prediction = prediction_,
                            .rows = rows_,
                            .shuffled = shuffled_,
                            .weighted = weighted_,
                            .diverged = diverged});
}

void RunStability::save(Checkpoint& to) const {
  to.arrays["stability"] = run_.state();
  to.arrays["stability_angle"] = Matrix<double>::Constant(1, 1, prediction_.angle);
  to.counts["stability_step"] = taken_at_;
}

void RunStability::restore(const Checkpoint& from) {
  // A checkpoint of a run without `until_angle` begins to look from here on.
  const auto found = from.arrays.find("stability");
  if (found == from.arrays.end()) return;
  run_.restore(found->second);
  const Matrix<double>& angle = from.arrays.at("stability_angle");
  if (angle.size() != 1) throw std::out_of_range("stability_angle");
  if (angle(0, 0) != prediction_.angle) run_.forget_reached();
  taken_at_ = from.counts.at("stability_step");
}

}  // namespace mercer
