#pragma once
// An ordinary differential equation dy/dt = f(y), solved to a tolerance: Dormand and Prince's pair
// of order 5(4) with local extrapolation (J. Comput. Appl. Math. 6, 1980).
//
//     Integrator run(start, [](const Matrix<double>& y, Matrix<double>& f) { f = -y; }, 1e-10);
//     run.advance(2.5);
//     run.y();              // e^{−2.5} start

#include <mercer/matrix.hpp>

#include <array>
#include <functional>

namespace mercer {

class Integrator {
 public:
  using Slope = std::function<void(const Matrix<double>& y, Matrix<double>& slope)>;

  /// `tolerance`: of each step, relative to the largest entry of y, or to 1 where that is larger.
  /// `rest`: slopes of at most this are errors of steps; y stays where it is from then on.
  Integrator(Matrix<double> y, Slope slope, double tolerance, double rest = 0);

  /// Up to time `t`, which is not before the present one. Throws `Errc::not_converged` when no step
  /// is small enough, or a million of them are not enough.
  void advance(double t);

  double time() const { return time_; }
  const Matrix<double>& y() const { return y_; }

  /// Position and next step size: with these it continues with the same bits.
  double step() const { return step_; }
  void restore(double time, double step, Matrix<double> y);

 private:
  double attempt(double h);  // the error of a step of h, whose end is then in next_

  Matrix<double> y_, next_, scratch_;
  std::array<Matrix<double>, 7> k_;
  Slope slope_;
  double tolerance_, rest_;
  double time_ = 0;
  double step_ = 0;     // 0: not chosen yet
  bool fresh_ = false;  // k_[0] is the slope at y_
};

}  // namespace mercer
