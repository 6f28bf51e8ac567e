#pragma once
// Sanger's ODE in the coordinates of the eigenvectors, followed forwards within a bounded amount of
// work, to see when its weights come within an angle of their components.
//
//     SangerPath path(lambda, theta, 1e-10);
//     path.advance(2.5);
//     path.theta();                    // k×p, at t = 2.5

#include "learn/theory/theory_integrator.hpp"

#include <cstdint>
#include <functional>

namespace mercer {

class SangerPath {
 public:
  SangerPath(Vector<double> lambda, Matrix<double> start, double tolerance);
  SangerPath(const SangerPath&) = delete;
  SangerPath& operator=(const SangerPath&) = delete;

  void advance(double t) { run_.advance(t); }
  double time() const { return run_.time(); }
  const Matrix<double>& theta() const { return run_.y(); }

  /// On to the first time, up to `last`, at which `there` holds. ∞: not up to `last`; NaN: that is
  /// more work than is done, up to `time()`.
  double first_time(double last, const std::function<bool(const Matrix<double>& theta)>& there);

 private:
  double bisect(double low, double step, Matrix<double> from, double high,
                const std::function<bool(const Matrix<double>&)>& there);

  Vector<double> lambda_;
  std::int64_t evaluations_ = 0;
  Integrator run_;
};

/// The tolerance at which angles of this size, and the directions that a start hardly has, are
/// kept.
double sanger_tolerance(const Vector<double>& lambda, const Matrix<double>& start, double radians,
                        double slowest);

}  // namespace mercer
