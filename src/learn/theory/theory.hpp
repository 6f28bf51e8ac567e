#pragma once
// What Hebbian rules do on average: the ODEs behind them, in the coordinates of the eigenvectors.
//
// With R = Σ λ_i q_i q_iᵀ, θ_i = q_iᵀw and the time t = Ση, small rates make a run follow
//
//     hebb          dw/dt = Rw
//                   θ_i = e^{λ_i t} θ_i(0)
//     oja           dw/dt = Rw − (wᵀRw)w
//                   θ_i = e^{λ_i t} θ_i(0) / √(1 + Σ_j (e^{2λ_j t} − 1) θ_j(0)²)
//     gha           dw_j/dt = Rw_j − Σ_{i≤j} (w_iᵀRw_j)w_i
//                   span(w₁ … w_j) = span of the first j columns of e^{Rt}W₀
//     orthonormal   W = the Q of the QR of e^{Rt}W₀: rules that normalise, also the start
//
// The first neuron of gha is that of oja; the others are integrated numerically.
//
//     Theory theory(lambda, q, w0, Flow::oja);
//     theory.coordinates(w);          // θ of a run, k×p
//     theory.at(t);                   // θ of the ODE, k×p

#include "learn/rules/rule.hpp"
#include "learn/theory/theory_integrator.hpp"

#include <mercer/matrix.hpp>

#include <optional>
#include <vector>

namespace mercer {

/// The ODE of a rule: one neuron of gha is that of oja. A rule that normalises takes its first step
/// as if the start were normalised: (aw + ηx xᵀaw)/‖…‖ is the same for every a > 0, and so is the Q
/// of LW(1 + ηxxᵀ) for every lower triangular L.
Flow flow_of(const RuleRow& rule, Index components);

/// θ(t) of Oja's ODE from θ(0), without overflow for any t ≥ 0.
Vector<double> oja_modes(const Vector<double>& lambda, const Vector<double>& start, double t);

/// dθ_j/dt of Sanger's ODE; row j of `theta` is θ_j. The first row is Oja's.
void gha_slope(const Vector<double>& lambda, const Matrix<double>& theta, Matrix<double>& slope);

/// V = (θ₁² − 1)², and dV/dt along Oja's ODE: 4 θ₁² (θ₁² − 1)(λ₁ − Σ λ_i θ_i²), never positive
/// where ‖w‖ ≤ 1.
double lyapunov(double first_mode);
double lyapunov_slope(const Vector<double>& lambda, const Vector<double>& theta);

/// Σ λ_i θ_i² / Σ θ_i².
double rayleigh(const Vector<double>& lambda, const Vector<double>& theta);

/// Largest principal angle of the spans of the first j rows of `a` and of `b`, for j = 1, 2, …;
/// degrees. Both have independent rows.
Vector<double> nested_span_angles(const Matrix<double>& a, const Matrix<double>& b);

/// Between the lines of two vectors, degrees; accurate for small angles too.
double line_angle(const Vector<double>& a, const Vector<double>& b);

class Theory {
 public:
  /// Eigenvalues descending and eigenvectors as rows, those of eigenvalue 0 may be left out; the
  /// first weights, k×D. Their part outside the span of the eigenvectors gets additional axes with
  /// λ = 0, at most k.
  Theory(Vector<double> values, const Matrix<double>& vectors, const Matrix<double>& weights,
         Flow flow);

  Index modes() const { return lambda_.size(); }  ///< p
  const Vector<double>& eigenvalues() const { return lambda_; }
  const Matrix<double>& start() const { return start_; }  ///< θ(0), k×p
  bool has_ode() const { return flow_ != Flow::none; }

  /// θ of weights, k×p.
  Matrix<double> coordinates(const Matrix<double>& weights) const;
  /// The weights of such θ.
  Matrix<double> weights(const Matrix<double>& theta) const { return theta * axes_; }

  /// θ of the ODE at time t, k×p; NaN where there is none. Times must not fall.
  const Matrix<double>& at(double t);

  /// The first j columns of e^{Rt}W₀ as rows, scaled so that nothing overflows: row i of the result
  /// and those before it span what they span.
  Matrix<double> grown(double t) const;

  /// The state of the numerical part; empty if everything is in closed form.
  std::optional<Integrator>& integrator() { return integrator_; }
  const std::optional<Integrator>& integrator() const { return integrator_; }

 private:
  void eliminate();

  Flow flow_;
  Vector<double> lambda_;   // p
  Matrix<double> axes_;     // p×D
  Matrix<double> start_;    // k×p
  Matrix<double> reduced_;  // k×p, row j: 1 at pivot_[j], 0 before it and at earlier pivots
  std::vector<Index> pivot_;
  Vector<double> pivot_sign_;
  std::optional<Integrator> integrator_;
  Matrix<double> now_;
};

}  // namespace mercer
