#pragma once
// A point from its distances to some rows (Kwok & Tsang 2004).

#include <mercer/matrix.hpp>

namespace mercer {

/// The u in the span of the rows about their mean for which ‖x̄ + u − x_i‖² comes nearest to
/// squares[i], less what all of them share: least squares of −2u·(x_i − x̄) = s_i − ‖x_i − x̄‖², both
/// sides about their means. Returns x̄ + u.
Vector<double> located(const Matrix<double>& rows, const Vector<double>& squares);

/// ‖x − y‖² for exp(−γ‖x − y‖²) times `factor`, where P and the row are a squared distance
/// `apart` in feature space, if P were the image of a row.
double squared_input_distance(double apart, double gamma, double factor);

}  // namespace mercer
