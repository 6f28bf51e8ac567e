#pragma once
/// \file
/// The trace of a learning run, with the predictions of theory.
///
///     mercer::LearnOptions options;
///     options.trace.row = [&](const mercer::TraceRow& row) { use(row.step, row.norm); };
///     options.theory = true;                              // fills row.modes
///
/// With R = Σ λ_j q_j q_jᵀ the second moment of the rows, w₁ … w_k the weights and t = Ση:
///
///     norm             ‖w₁‖
///     output_variance  of y₁ = w₁ᵀ(x − m), estimated by the learner; tends to λ₁
///     rayleigh         w₁ᵀRw₁ / w₁ᵀw₁; without theory output_variance / norm²
///     lyapunov         V = (θ₁² − 1)²; without theory (‖w₁‖² − 1)², which also decreases; NaN for
///                      hebb, which has no bound
///     theta            θ_j = q_jᵀw_j; with one neuron θ_j = q_jᵀw
///     ode_theta        the same along the ODE from the same start, at the same time t
///     angle            between ±q_j and that weight vector, degrees
///     ode_norm, ode_angle   norm and angle along the ODE
///     alpha            α_j = q_jᵀw₁ / q₁ᵀw₁; NaN where q₁ᵀw₁ = 0
///     ode_alpha        α_j(0) e^{−(λ₁−λ_j)t}; NaN from a start orthogonal to q₁
///     span_angle       largest angle of span(w₁ … w_j) and the first j columns of e^{Rt}W₀
///     lyapunov_sign    of dV/dt along the ODE through this point: −1, 0 or 1
///     w1_1, w1_2, …    the weights themselves, with `LearnOptions::trace_weights`; the first row
///                      is then the start, step 0

#include <mercer/matrix.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mercer {

struct TraceRow {
  struct Mode {
    double theta = 0, ode_theta = 0, angle = 0;
    double alpha = 0, ode_alpha = 0;
    double ode_angle = 0;
  };
  std::int64_t step = 0;
  double time = 0;
  double eta = 0;
  double norm = 0;
  double output_variance = 0;
  double rayleigh = 0;
  double lyapunov = 0;
  double lyapunov_sign = 0;
  double ode_norm = 0;
  std::vector<Mode> modes;          ///< empty without theory
  std::vector<double> span_angles;  ///< one per neuron; empty without theory
  /// Whether there is an ODE: otherwise its values are NaN and have no columns.
  bool ode = true;
  Matrix<double> weights;  ///< W, one row per neuron; empty unless requested
};

/// Names of the columns: `step, time, eta, norm, output_variance, rayleigh, lyapunov`, then
/// `theta_j, ode_theta_j, angle_j` for each mode, then `alpha_j, ode_alpha_j, ode_angle_j` for each
/// mode, `lyapunov_sign`, `ode_norm`, and `span_angle_j` for each neuron. Without an ODE its
/// columns are omitted. Last, the weights `w1_1, w1_2, …` of `weight_rows` neurons with
/// `weight_columns` each.
std::vector<std::string> trace_columns(Index modes, Index neurons, bool ode = true,
                                       Index weight_rows = 0, Index weight_columns = 0);
/// Those of this row.
std::vector<std::string> trace_columns(const TraceRow& row);

/// The values of a row, in that order.
std::vector<double> trace_values(const TraceRow& row);

/// The inverse of `trace_values`.
TraceRow trace_row(const double* values, Index modes, Index neurons, bool ode = true,
                   Index weight_rows = 0, Index weight_columns = 0);

}  // namespace mercer
