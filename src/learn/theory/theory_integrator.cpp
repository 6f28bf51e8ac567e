#include "learn/theory/theory_integrator.hpp"

#include "core/require.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

constexpr int stages = 7;
constexpr int most_steps = 1'000'000;
constexpr double stage_shares[stages][6] = {
    {},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
// Difference of the solutions of order 5 and 4.
constexpr double e[stages] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                              -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

double largest(const Matrix<double>& x) { return x.size() == 0 ? 0 : x.cwiseAbs().maxCoeff(); }

}  // namespace

Integrator::Integrator(Matrix<double> y, Slope slope, double tolerance, double rest)
    : y_(std::move(y)), slope_(std::move(slope)), tolerance_(tolerance), rest_(rest) {
  for (Matrix<double>& k : k_) k.resize(y_.rows(), y_.cols());
}

double Integrator::attempt(double h) {
  for (int s = 1; s < stages; ++s) {
    scratch_ = y_;
    for (int j = 0; j < s; ++j)
      if (stage_shares[s][j] != 0)
        scratch_ += (h * stage_shares[s][j]) * k_[static_cast<std::size_t>(j)];
    slope_(scratch_, k_[static_cast<std::size_t>(s)]);
  }
  next_ = scratch_;  // the last stage is the step itself
  scratch_.setZero();
  for (int s = 0; s < stages; ++s)
    if (e[s] != 0) scratch_ += (h * e[s]) * k_[static_cast<std::size_t>(s)];
  return largest(scratch_);
}

void Integrator::advance(double t) {
  for (int steps = 0; time_ < t; ++steps) {
    if (!fresh_) slope_(y_, k_[0]);
    fresh_ = true;
    if (largest(k_[0]) <= rest_) {
      time_ = t;
      return;
    }
    require(steps < most_steps, Errc::not_converged,
            "the ODE takes more than {} steps from t = {:.3g} to t = {:.3g}: use a smaller rate, "
            "or disable theory",
            most_steps, time_, t);
    if (step_ == 0) {
      const double slope = largest(k_[0]);
      step_ = slope > 0 ? 0.01 * std::max(largest(y_), 1e-3) / slope : t - time_;
    }
    const bool last = time_ + step_ >= t;
    const double h = last ? t - time_ : step_;
    const double allowed = tolerance_ * std::max(1.0, largest(y_));
    const double error = attempt(h);
    const double factor =
        error == 0 ? 5 : std::clamp(0.9 * std::pow(allowed / error, 0.2), 0.2, 5.0);
    if (!(error <= allowed)) {
      step_ = h * (std::isfinite(error) ? std::min(factor, 0.9) : 0.1);
      require(time_ + step_ > time_, Errc::not_converged,
              "the ODE cannot be integrated beyond t = {}: no step is small enough", time_);
      continue;
    }
    y_.swap(next_);
    k_[0].swap(k_[stages - 1]);
    time_ = last ? t : time_ + h;
    // The last step is truncated: it contains little information about the next step size.
    step_ = last ? std::max(step_, h * factor) : h * factor;
  }
}

void Integrator::restore(double time, double step, Matrix<double> y) {
  time_ = time;
  step_ = step;
  y_ = std::move(y);
  fresh_ = false;
}

}  // namespace mercer
