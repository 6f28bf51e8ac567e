#pragma once
// Scores are sums of kernel values, and off by their rounding. Centring takes off what all values
// share, so the scores of a nearly constant kernel, and of components of little variance, keep few
// digits.

#include <mercer/matrix.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>

namespace mercer {

/// States the loss where less than half of the digits that T has remain; empty otherwise. About the
/// last component, the least accurate one: `eigenvalue` is its own; scores are b·(k − mean), and
/// `largest` is the size of k(x, x).
template <class T>
std::string loss_of_scores(const Matrix<double>& b, double largest, double eigenvalue,
                           double weight) {
  constexpr double epsilon = std::numeric_limits<T>::epsilon();
  const double loss =
      2 * epsilon * largest * b.row(b.rows() - 1).norm() * std::sqrt(weight / eigenvalue);
  if (!(loss > std::sqrt(epsilon))) return {};
  return fmt::format(
      "scores of new rows have errors of up to about {:.0e} standard deviations, along component "
      "{}, by the rounding of kernel values",
      loss, b.rows());
}

}  // namespace mercer
