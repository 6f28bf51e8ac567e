#pragma once
// The fixed point of Mika et al. (1998) for k(x, y) = exp(−γ‖x − y‖²), with the penalty of
// Abrahamsen & Hansen (2009). With P = Σ g_j Φ(a_j) and w(x) = Σ g_j k(x, a_j), it climbs
//
//     w(x) − λγ‖x − x₀‖²        by        x ← (Σ g_j k(x, a_j) a_j + λx₀) / (w(x) + λ)
//
// which is a step along the gradient; it is halved until it does climb, so what comes out is never
// worse than the start, wherever that is.

#include <mercer/matrix.hpp>

#include <cstdint>
#include <vector>

namespace mercer {

struct FixedPoint {
  double gamma = 1;
  double penalty = 0;       ///< λ
  double tolerance = 1e-5;  ///< of the last step, in widths 1/√γ
  int iterations = 200;
  Matrix<double> anchors;  ///< D×d

  /// Moves the rows of `x` from where they are; `coefficients` are g, N×D. Returns which rows came
  /// to an end. Single-threaded.
  std::vector<std::uint8_t> operator()(const Matrix<double>& coefficients, Matrix<double>& x) const;
};

}  // namespace mercer
