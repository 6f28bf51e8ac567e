#include "learn/run/learn_trace.hpp"

#include "core/require.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace mercer {

namespace {

constexpr std::size_t most_rows = 1024;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

Matrix<double> table(const std::vector<TraceRow>& rows) {
  if (rows.empty()) return {};
  Matrix<double> out(static_cast<Index>(rows.size()),
                     static_cast<Index>(trace_values(rows[0]).size()));
  for (Index i = 0; i < out.rows(); ++i) {
    const std::vector<double> values = trace_values(rows[static_cast<std::size_t>(i)]);
    out.row(i) = Eigen::Map<const Eigen::RowVectorXd>(values.data(), out.cols());
  }
  return out;
}

/// ‖θ − θ_ode‖ with the sign of each neuron that fits: w and −w are the same component, and the
/// noise of the first rows decides which one a run finds.
double gap_up_to_sign(const Matrix<double>& theta, const Matrix<double>& ode) {
  double square = 0;
  for (Index j = 0; j < theta.rows(); ++j) {
    const double same = (theta.row(j) - ode.row(j)).squaredNorm();
    const double opposite = (theta.row(j) + ode.row(j)).squaredNorm();
    square += opposite < same ? opposite : same;  // NaN stays NaN
  }
  return std::sqrt(square);
}

/// Between row j and axis i.
double axis_angle(const Matrix<double>& theta, Index j, Index i) {
  return line_angle(theta.row(j).transpose(), Vector<double>::Unit(theta.cols(), i));
}

}  // namespace

RunTrace::RunTrace(TraceOutput output, std::optional<Theory> theory, Index modes, Index neurons,
                   bool weights, Index features, bool bounded)
    : output_(std::move(output)),
      theory_(std::move(theory)),
      modes_(modes),
      neurons_(neurons),
      weights_(weights),
      features_(features),
      bounded_(bounded) {}

void RunTrace::take_start(const RunLearner& learner) {
  if (weights_) take(learner, false);
}

TraceRow RunTrace::row_of(const RunLearner& learner) {
  TraceRow row;
  row.step = learner.steps();
  row.time = learner.time();
  row.eta = learner.rate();
  row.norm = learner.norm();
  row.output_variance = learner.output_variances()[0];
  if (weights_) row.weights = learner.weights();
  if (!theory_) {
    row.rayleigh = row.output_variance / (row.norm * row.norm);
    row.lyapunov = bounded_ ? lyapunov(row.norm) : unknown;
    return row;
  }
  row.ode = theory_->has_ode();
  const Vector<double>& lambda = theory_->eigenvalues();
  const Matrix<double> theta = theory_->coordinates(learner.weights());
  const Matrix<double>& ode = theory_->at(row.time);
  const Vector<double> first = theta.row(0).transpose();
  row.rayleigh = rayleigh(lambda, first);
  row.lyapunov = bounded_ ? lyapunov(first[0]) : unknown;
  row.lyapunov_sign = bounded_ ? sign(lyapunov_slope(lambda, first)) : unknown;
  const Matrix<double> start = theory_->start();
  for (Index j = 0; j < modes_; ++j) {
    const Index neuron = neurons_ == 1 ? 0 : j;
    const double decay = std::exp(-(lambda[0] - lambda[j]) * row.time);
    row.modes.push_back({.theta = theta(neuron, j),
                         .ode_theta = ode(neuron, j),
                         .angle = axis_angle(theta, neuron, j),
                         .alpha = theta(0, 0) != 0 ? theta(0, j) / theta(0, 0) : unknown,
                         .ode_alpha = theory_->has_ode() && start(0, 0) != 0
                                          ? start(0, j) / start(0, 0) * decay
                                          : unknown,
                         .ode_angle = theory_->has_ode() ? axis_angle(ode, neuron, j) : unknown});
  }
  row.ode_norm = ode.row(0).norm();
  if (theory_->has_ode()) {
    const Vector<double> angles = nested_span_angles(theta, theory_->grown(row.time));
    row.span_angles.assign(angles.data(), angles.data() + angles.size());
  } else {
    row.span_angles.assign(static_cast<std::size_t>(neurons_), unknown);
  }
  last_gap_ = gap_up_to_sign(theta, ode);
  return row;
}

void RunTrace::take(const RunLearner& learner, bool regular) {
  take_last(learner);
  ++taken_;
  if (!regular) {
    early_.push_back(*last_);
    return;
  }
  gap_sum_ += last_gap_;
  if (regular_++ % stride_ == 0) keep(*last_);
}

void RunTrace::take_last(const RunLearner& learner) {
  TraceRow row = row_of(learner);
  // θ_j/θ₁ has no value where θ₁ is 0: at a start that is orthogonal to q₁.
  TraceRow defined = row;
  if (!bounded_) defined.lyapunov = defined.lyapunov_sign = 0;
  for (TraceRow::Mode& mode : defined.modes) {
    if (row.modes[0].theta == 0) mode.alpha = 0;
    if (theory_ && theory_->start()(0, 0) == 0) mode.ode_alpha = 0;
  }
  for (const double value : trace_values(defined))
    require(std::isfinite(value), Errc::not_converged,
            "step {}: at the rate {:.3g} weights or theory overflow; use a smaller rate, or "
            "`rate=auto`",
            row.step, row.eta);
  last_ = std::move(row);
  last_step_ = last_->step;
  if (output_.row) output_.row(*last_);
}

void RunTrace::keep(TraceRow row) {
  kept_.push_back(std::move(row));
  if (kept_.size() < most_rows) return;
  // Every second one goes, the first stays.
  for (std::size_t i = 1; 2 * i < kept_.size(); ++i) kept_[i] = std::move(kept_[2 * i]);
  kept_.resize((kept_.size() + 1) / 2);
  stride_ *= 2;
}

std::vector<TraceRow> RunTrace::rows() const {
  std::vector<TraceRow> rows = early_;
  rows.insert(rows.end(), kept_.begin(), kept_.end());
  if (last_ && (rows.empty() || rows.back().step != last_->step)) rows.push_back(*last_);
  return rows;
}

std::optional<TheoryReport> RunTrace::report(const RunLearner& learner) const {
  if (!theory_) return std::nullopt;
  TheoryReport out;
  out.eigenvalues = theory_->eigenvalues().head(modes_);
  const Matrix<double> theta = theory_->coordinates(learner.weights());
  out.angles.resize(neurons_);
  for (Index j = 0; j < neurons_; ++j) out.angles[j] = axis_angle(theta, j, j);
  out.mean_gap = regular_ > 0 ? gap_sum_ / static_cast<double>(regular_) : last_gap_;
  out.last_gap = last_gap_;
  return out;
}

void RunTrace::flush() const {
  if (output_.flush) output_.flush();
}

void RunTrace::save(Checkpoint& checkpoint) const {
  checkpoint.counts["trace_rows"] = taken_;
  checkpoint.counts["trace_stride"] = stride_;
  checkpoint.counts["trace_step"] = last_step_;
  checkpoint.counts["trace_regular"] = regular_;
  checkpoint.arrays["trace"] = table(kept_);
  checkpoint.arrays["early_trace"] = table(early_);
  checkpoint.arrays["gap"] = Matrix<double>::Constant(1, 1, gap_sum_);
  // A run that is over takes no more rows: a plot of it ends where the first one did.
  checkpoint.arrays["last_gap"] = Matrix<double>::Constant(1, 1, last_gap_);
  if (last_) checkpoint.arrays["last_trace"] = table({*last_});
  if (!theory_) return;
  checkpoint.arrays["start"] = theory_->start();
  if (const auto& ode = theory_->integrator()) {
    checkpoint.arrays["ode"] = ode->y();
    Matrix<double> at(1, 2);
    at << ode->time(), ode->step();
    checkpoint.arrays["ode_time"] = at;
  }
}

void RunTrace::restore(const Checkpoint& checkpoint) {
  taken_ = checkpoint.counts.at("trace_rows");
  stride_ = checkpoint.counts.at("trace_stride");
  gap_sum_ = checkpoint.arrays.at("gap")(0, 0);
  regular_ = checkpoint.counts.at("trace_regular");
  const Index neurons = modes_ > 0 ? neurons_ : 0;
  const bool ode = !theory_ || theory_->has_ode();
  const Index weight_rows = weights_ ? neurons_ : 0, weight_columns = weights_ ? features_ : 0;
  const std::size_t width = trace_columns(modes_, neurons, ode, weight_rows, weight_columns).size();
  const auto rows_of = [&](const Matrix<double>& table) {
    std::vector<TraceRow> out;
    if (table.rows() > 0 && table.cols() != static_cast<Index>(width))
      throw std::out_of_range("trace");
    for (Index i = 0; i < table.rows(); ++i)
      out.push_back(
          trace_row(table.row(i).data(), modes_, neurons, ode, weight_rows, weight_columns));
    return out;
  };
  kept_ = rows_of(checkpoint.arrays.at("trace"));
  early_ = rows_of(checkpoint.arrays.at("early_trace"));
  last_step_ = checkpoint.counts.at("trace_step");
  if (const auto gap = checkpoint.arrays.find("last_gap"); gap != checkpoint.arrays.end())
    last_gap_ = gap->second(0, 0);
  if (const auto row = checkpoint.arrays.find("last_trace"); row != checkpoint.arrays.end())
    last_ = rows_of(row->second).at(0);
  if (theory_ && theory_->integrator()) {
    const Matrix<double>& at = checkpoint.arrays.at("ode_time");
    theory_->integrator()->restore(at(0, 0), at(0, 1), checkpoint.arrays.at("ode"));
  }
  if (output_.keep) output_.keep(taken_);
}

}  // namespace mercer
