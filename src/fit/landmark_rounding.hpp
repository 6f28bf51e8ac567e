#pragma once
// How far rounding moves an approximation by landmarks: a bound, not an estimate.
//
// Rows carry √w. With D = diag √k(l, l), C = k(rows, landmarks) and the factor L̂ as computed:
//   - the features as computed are F̂ = (C + H)L̂⁻ᵀ, where H holds the error of the values
//     and of solving, h = ‖H D⁻¹‖_F;
//   - L̂L̂ᵀ = k(landmarks, landmarks) + Δ, d = ‖D⁻¹ΔD⁻¹‖;
//   - the weights of the landmarks, F̂L̂⁻¹, have a = ‖F̂L̂⁻¹D‖, and b = ‖L̂⁻¹D‖.
// With F = CL̂⁻ᵀ the matrix X = K − FFᵀ is positive semi-definite but for a'²d, a' = a + hb²: K less
// the exact Nyström approximation is, and the inverse of L̂L̂ᵀ differs from that of
// k(landmarks, landmarks) by (L̂L̂ᵀ)⁻¹Δ(L̂L̂ᵀ)⁻¹ and something positive. From
//     K − F̂F̂ᵀ = X − F̂(HL̂⁻ᵀ)ᵀ − (HL̂⁻ᵀ)F̂ᵀ + (HL̂⁻ᵀ)(HL̂⁻ᵀ)ᵀ
// and λ₁(X) ≤ tr X + d‖a'‖²_F follows, for every eigenvalue λ of the centred matrix and the one
// μ of the features' scatter,
//     μ − below ≤ λ ≤ μ + tr(K − F̂F̂ᵀ) + trace + below + (hb)²,
//     below = 2ah + a'²d (2-norms),     trace = 2ah + a'²d (Frobenius norms).
// Each norm is bounded by what can be computed in m³ flops from the sums and the factor.

#include <mercer/matrix.hpp>

namespace mercer {

/// Kernel values are taken as right to this share of √(k(x, x)k(y, y)): four units in the last
/// place.
constexpr double entry_rounding = 4 * 0x1p-52;

class LandmarkRounding {
 public:
  /// `factor`: L̂, of which the lower triangle counts; `values`: k(landmarks, landmarks).
  LandmarkRounding(const Eigen::Ref<const Matrix<double>>& factor, const Matrix<double>& values);

  /// No row can be explained by more than its k(x, x) times this beyond 1.
  double row() const { return row_; }

  struct Bounds {
    double matrix = 0;  ///< of the 2-norm of what rounding did to the approximate kernel matrix
    double trace = 0;   ///< of what it did to the trace of what is left out
  };
  /// `second`: Σ w φφᵀ about the origin, as computed with an error of `sums`·trace; `trace`: Σ
  /// w·k(x, x).
  Bounds bounds(const Eigen::Ref<const Matrix<double>>& factor, const Matrix<double>& second,
                double trace, double sums) const;

 private:
  Vector<double> lengths_;     // D
  double inverse_square_ = 0;  // b²
  double factor_error_ = 0;    // d
  Vector<double> panels_;      // u·(w_p + p + 4)·‖D⁻¹L̂_p‖_F of each panel of columns
  double row_ = 0;
};

}  // namespace mercer
