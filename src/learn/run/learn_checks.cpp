#include "learn/run/learn_checks.hpp"

#include "learn/theory/convergence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace mercer {

namespace {

constexpr double automatic_until = 0.1;  // degrees
constexpr double frozen = 0.001;         // degrees: more epochs would change nothing
constexpr double check_growth = 1.5;
constexpr double calm_norm_error = 0.05;

}  // namespace

ConvergenceChecks::ConvergenceChecks(const LearnOptions& options, bool in_memory, std::int64_t rows)
    : until_(options.until > 0                  ? options.until
             : options.epochs == 0 && in_memory ? automatic_until
                                                : 0),
      requested_(options.until > 0),
      remedy_(own_remedy(options.learner)),
      first_(std::clamp<std::int64_t>(rows > 0 ? rows : 1000, 100, 1000)),
      next_(first_) {}

void ConvergenceChecks::take(Convergence found, std::int64_t rows) {
  latest_ = std::move(found);
  taken_at_ = rows;
  note_ = fmt::format("rotation {:.2g} deg, {:.1f} % explained", latest_.angle_change,
                      100 * latest_.explained);
  ++checks_;
  // Plain Hebb turns no more either, once it is on its way to infinity.
  const bool calm =
      checks_ > 1 && latest_.angle_change <= until_ && latest_.norm_error <= calm_norm_error;
  calm_ = calm ? calm_ + 1 : 0;
  // Once may be chance; and without `until`, not moving is no reason to stop.
  if (until_ > 0 && calm_ >= 2 &&
      (requested_ || latest_.converged || latest_.angle_change <= frozen))
    stop_ = reason();
  skip(rows);
}

void ConvergenceChecks::skip(std::int64_t rows) {
  next_ =
      std::max(rows + first_, static_cast<std::int64_t>(check_growth * static_cast<double>(rows)));
}

void ConvergenceChecks::take_last(Convergence found, std::int64_t rows) {
  const auto all = static_cast<double>(rows);
  if (all - static_cast<double>(taken_at_) < 0.1 * all &&
      found.angle_change < latest_.angle_change) {
    found.angle_change = latest_.angle_change;
    settle(found, checks_ > 1, remedy_);
  }
  latest_ = std::move(found);
}

void ConvergenceChecks::save(Checkpoint& to) const {
  to.counts["next_look"] = next_;
  to.counts["looks"] = checks_;
  to.counts["calm"] = calm_;
  to.counts["looked_at"] = taken_at_;
  to.counts["state"] = static_cast<int>(latest_.state);
  to.counts["stopped"] = stop_ ? 1 : 0;
  Matrix<double> numbers(1, 6), variances;
  numbers << latest_.angle_change, latest_.norm_error, latest_.correlation, latest_.variance_error,
      latest_.angle, latest_.explained;
  to.arrays["convergence"] = numbers;
  if (const Index k = latest_.variances.size(); k > 0) {
    variances.resize(2, k);
    variances.row(0) = latest_.variances.transpose();
    variances.row(1) = latest_.errors.transpose();
  }
  to.arrays["variances"] = variances;
  to.texts["convergence"] = latest_.text;
  to.texts["note"] = note_;
}

void ConvergenceChecks::restore(const Checkpoint& from, Index components) {
  next_ = from.counts.at("next_look");
  checks_ = from.counts.at("looks");
  calm_ = from.counts.at("calm");
  taken_at_ = from.counts.at("looked_at");
  const Matrix<double>& c = from.arrays.at("convergence");
  if (c.rows() != 1 || c.cols() != 6) throw std::out_of_range("convergence");
  const std::int64_t state = from.counts.at("state");
  if (state < 0 || state > static_cast<int>(LearnState::converged))
    throw std::out_of_range("state");
  latest_ = {.angle_change = c(0, 0),
             .norm_error = c(0, 1),
             .correlation = c(0, 2),
             .variance_error = c(0, 3),
             .angle = c(0, 4),
             .explained = c(0, 5),
             .state = static_cast<LearnState>(state),
             .converged = state == static_cast<int>(LearnState::converged),
             .text = from.texts.at("convergence")};
  const Matrix<double>& variances = from.arrays.at("variances");
  if (variances.size() > 0) {
    if (variances.rows() != 2 || variances.cols() != components)
      throw std::out_of_range("variances");
    latest_.variances = variances.row(0).transpose();
    latest_.errors = variances.row(1).transpose();
  }
  if (from.counts.at("stopped") != 0 && until_ > 0) stop_ = reason();
  note_ = from.texts.at("note");
}

}  // namespace mercer
