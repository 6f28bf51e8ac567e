#pragma once
// A run beside its exact components, step by step: lengths of the weights, angles, and visits to A,
// the compact part {‖w_j‖ ≤ 2, |q_jᵀw_j| ≥ 0.1 for every j} of the basin of attraction of the
// components, whose signs are free.

#include <mercer/matrix.hpp>

#include <array>
#include <cstdint>

namespace mercer {

/// The set A.
constexpr double basin_norm = 2, basin_mode = 0.1;

class Stability {
 public:
  /// Components as rows, one per neuron.
  explicit Stability(Matrix<double> components);

  /// Weights after this step. `angle`: whose first step is noted.
  void take(std::int64_t step, const Matrix<double>& weights, double angle);

  double angle() const { return numbers_[last_angle]; }  ///< largest at the last step, degrees
  double largest_norm() const { return numbers_[norm_most]; }
  double last_norm() const { return numbers_[norm_last]; }
  double largest_weight() const { return numbers_[weight_most]; }
  double largest_first_mode() const { return numbers_[mode_most]; }  ///< max |q₁ᵀw₁|
  std::int64_t steps() const { return count(taken); }
  std::int64_t inside() const { return count(inside_A); }  ///< steps that ended in A
  std::int64_t entries() const { return count(entered); }  ///< times that it came from outside
  std::int64_t first_inside() const { return count(inside_first); }  ///< 0: never
  std::int64_t last_outside() const { return count(outside_last); }
  bool is_inside() const { return numbers_[now_inside] != 0; }
  std::int64_t reached() const { return count(angle_first); }  ///< 0: not yet
  void forget_reached() { numbers_[angle_first] = 0; }

  /// Everything that changes, for a checkpoint.
  Matrix<double> state() const;
  void restore(const Matrix<double>& state);  ///< `std::out_of_range` if it is not one

 private:
  enum : std::size_t {
    taken,
    last_angle,
    norm_most,
    norm_last,
    weight_most,
    mode_most,
    inside_A,
    entered,
    inside_first,
    outside_last,
    now_inside,
    angle_first,
    size
  };
  std::int64_t count(std::size_t i) const { return static_cast<std::int64_t>(numbers_[i]); }

  Matrix<double> components_;
  std::array<double, size> numbers_{};
};

}  // namespace mercer
