#pragma once
// A point from its distances to some rows (Kwok & Tsang 2004).

#include <mercer/kernel.hpp>
#include <mercer/matrix.hpp>

#include <optional>

namespace mercer {

/// The u in the span of the rows about their mean for which ‖x̄ + u − x_i‖² comes nearest to
/// squares[i], less what all of them share: least squares of −2u·(x_i − x̄) = s_i − ‖x_i − x̄‖², both
/// sides about their means. Returns x̄ + u.
Vector<double> located(const Matrix<double>& rows, const Vector<double>& squares);

/// ‖x − y‖² for kernels that fall with it, where P and the row are a squared distance `apart` in
/// feature space, if P were the image of a row.
class InputDistances {
 public:
  /// The kernel must be radial.
  explicit InputDistances(Kernel kernel);
  Vector<double> operator()(const Vector<double>& apart) const;

 private:
  /// k at these distances.
  Vector<double> at(const Vector<double>& distances) const;

  Kernel kernel_;
  std::optional<double> gamma_;  // of a Gaussian, which has a formula
  double peak_ = 1;              // k(x, x)
  double farthest_ = 1;          // where nothing is left of it
};

}  // namespace mercer
