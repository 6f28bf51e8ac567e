#include "learn/theory/convergence.hpp"

#include "learn/rules/hebbian_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

constexpr double converged_norm = 0.02;

/// What a run that has not converged needs.
const char* remedy(LearnState state) {
  return state == LearnState::moving
             ? "; learn from more rows or more epochs, or with a rate that falls"
             : "; learn from more rows, with a larger rate, or fewer components: close variances "
               "need many";
}

/// "1 degree", "0.59 degrees".
std::string degrees_text(double angle) {
  const std::string number = fmt::format("{:.2g}", angle);
  return number + (number == "1" ? " degree" : " degrees");
}

std::string sentence(const Convergence& c, bool measured, const char* own) {
  const std::string needs = own ? own : remedy(c.state);
  const std::string moved = fmt::format(
      "rotation {} since the last check, norm error {:.2g}, output correlation {:.2g}, "
      "variance error {:.2g} %",
      degrees_text(c.angle_change), c.norm_error, c.correlation, 100 * c.variance_error);
  switch (c.state) {
    case LearnState::converged:
      return fmt::format("converged: components within {} of the exact ones (95 % confidence), {}",
                         degrees_text(c.angle), moved);
    case LearnState::not_moving:
      return fmt::format("not moving, but not known to have converged: {}; {}",
                         !measured       ? "the error of the components was not estimated"
                         : c.angle >= 90 ? "the error of the components is unknown"
                                         : fmt::format("components may be {} from the exact ones",
                                                       degrees_text(c.angle)),
                         moved + needs);
    case LearnState::moving:
      break;
  }
  return fmt::format("moving, not converged: {}", moved + needs);
}

}  // namespace

std::string_view name_of(LearnState state) {
  switch (state) {
    case LearnState::converged:
      return "converged";
    case LearnState::not_moving:
      return "not moving";
    case LearnState::moving:
      break;
  }
  return "moving";
}

const char* own_remedy(const LearnerOptions& options) {
  if (rule_named(options.rule).flow != Flow::hebb) return nullptr;
  return std::isinf(options.limit)
             ? "; plain Hebb is unbounded: its weights grow for ever; use oja or hebb-normalized"
             : "; plain Hebb has no stable point: its weights end at a corner of the limit; use "
               "oja or hebb-normalized";
}

void judge(Convergence& c, bool compared, const Verdict& verdict, const char* remedy) {
  c.angle = verdict.largest();
  c.variances = verdict.values;
  c.errors = verdict.errors;
  settle(c, compared, remedy);
}

void settle(Convergence& c, bool compared, const char* remedy) {
  const bool still = compared && c.angle_change <= still_degrees;
  const bool there = compared && c.angle_change <= converged_degrees &&
                     c.angle <= converged_degrees && c.norm_error <= converged_norm;
  c.state = there ? LearnState::converged : still ? LearnState::not_moving : LearnState::moving;
  c.converged = there;
  c.text = sentence(c, c.variances.size() > 0, remedy);
}

double largest_correlation(const Matrix<double>& covariance) {
  double largest = 0;
  for (Index j = 0; j < covariance.rows(); ++j)
    for (Index i = 0; i < j; ++i) {
      const double scale = std::sqrt(covariance(i, i) * covariance(j, j));
      if (scale > 0) largest = std::max(largest, std::abs(covariance(i, j)) / scale);
    }
  return largest;
}

Convergence Hebbian::look(Moment* rows) {
  State& s = *state_;
  const Matrix<double> w = s.settled();
  const Index k = s.components();
  Convergence c;
  const bool compared = s.looked_at.size() > 0 && s.steps > 0;
  if (compared) c.angle_change = 0;
  for (Index j = 0; j < k; ++j) {
    if (compared) c.angle_change = std::max(c.angle_change, turned(w.row(j), s.looked_at.row(j)));
    c.norm_error = std::max(c.norm_error, std::abs(w.row(j).norm() - 1));
  }
  c.correlation = largest_correlation(s.covariance);
  if (s.recent_total > 0) c.explained = s.energy.sum() / s.recent_total;
  // The same rows on both sides: what differs is how the weights were when they came.
  const auto n = static_cast<Index>(std::min<std::int64_t>(s.remembered, s.recent.rows()));
  if (n > 0) {
    const Matrix<double> y = s.recent.topRows(n) * w.transpose();
    for (Index j = 0; j < k; ++j) {
      const double quotient = y.col(j).squaredNorm() / w.row(j).squaredNorm();
      const double then = s.recent_outputs.topRows(n).col(j).squaredNorm();
      if (quotient > 0)
        c.variance_error = std::max(c.variance_error, std::abs(then / quotient - 1));
    }
  }
  Verdict verdict;
  const Matrix<double> b = s.orthonormal_components();
  if (rows && compared && c.angle_change <= converged_degrees)
    verdict = certify(*rows, b, converged_degrees, s.options.seed);
  if (s.watch.on()) {
    verdict = s.watch.verdict(b);
    // The bound of the last check still holds, plus the rotation since then; unless the rows
    // themselves may change.
    const double carried =
        s.options.forgetting > 0 ? 90 : std::min(90.0, s.known[0] + c.angle_change);
    if (verdict.largest() > carried) {
      verdict = {.angles = Vector<double>::Constant(1, carried),
                 .bounds = Vector<double>::Zero(1),
                 .values = s.known.segment(1, k),
                 .errors = s.known.tail(k)};
    } else if (verdict.angles.size() > 0) {
      s.known << verdict.largest(), verdict.values, verdict.errors;
    }
    s.known[0] = std::min(verdict.largest(), 90.0);
    // Test vectors follow, but rarely enough to see many rows; where they span everything, only
    // changing rows are a reason to start again.
    const bool follows = !s.watch.whole() || s.options.forgetting > 0;
    if (follows && s.watch.rows() > 2 * s.watch.begun()) s.watch.restart(b, s.rows);
  }
  judge(c, compared, verdict, own_remedy(s.options));
  s.looked_at = w;
  return c;
}

}  // namespace mercer
