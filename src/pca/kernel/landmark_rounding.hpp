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
// Each norm is bounded by what can be computed in m³ flops from the sums and the factor. Errors of
// kernel values are as kernels/entry_error.hpp states them, for the rows that came.
//
// Where landmarks nearly repeat each other, b is large and so are the bounds. Fewer landmarks are
// then the better basis: their features are the first columns of all of it, so sums over the rows
// need no other pass.

#include "core/monitor.hpp"
#include "kernels/entry_error.hpp"

#include <mercer/matrix.hpp>

namespace mercer {

class LandmarkRounding {
 public:
  /// `factor`: L̂, of which the lower triangle counts; `values`: k(landmarks, landmarks), which are
  /// as far off as `entries` says. Reports `rows_reported` times m rows.
  LandmarkRounding(const Eigen::Ref<const Matrix<double>>& factor, const Matrix<double>& values,
                   const EntryError& entries, SharedReporter& report);
  static constexpr int rows_reported = 3;
  /// Of another process (core/packed.hpp).
  LandmarkRounding() = default;

  /// What rounding can make a row with k(x, x) = `whole` look explained beyond that; `entries`: of
  /// its kernel values.
  double row(double whole, const EntryError& entries) const;

  struct Bounds {
    double matrix = 0;  ///< of the 2-norm of what rounding did to the approximate kernel matrix
    double trace = 0;   ///< of what it did to the trace of what is left out
  };
  /// What the rows have summed up to.
  struct Sums {
    const Eigen::Ref<const Matrix<double>>& second;  ///< Σ w φφᵀ about the origin, as computed
    double trace = 0;                                ///< Σ w·k(x, x)
    double weight = 0;                               ///< Σ w
    double error = 0;                                ///< of `second`, as a share of the trace
  };
  /// Reports `rows_reported_by_bounds` times m rows.
  Bounds bounds(const Eigen::Ref<const Matrix<double>>& factor, const Sums& sums,
                const EntryError& entries, SharedReporter& report) const;
  static constexpr int rows_reported_by_bounds = 4;

  template <class Use>
  void members(Use&& use) {
    use(lengths_, inverse_square_, inverse_lengths_, factor_error_, panels_);
  }

 private:
  Vector<double> lengths_;      // D
  double inverse_square_ = 0;   // b²
  double inverse_lengths_ = 0;  // Σ 1/k(l, l)
  double factor_error_ = 0;     // d
  Vector<double> panels_;       // u·(w_p + p + 4)·‖D⁻¹L̂_p‖_F of each panel of columns
};

}  // namespace mercer
