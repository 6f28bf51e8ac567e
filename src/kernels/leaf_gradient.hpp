#pragma once
// The derivative of a leaf: f'(z)·∂z/∂x for a formula f of an ingredient z.

#include "kernels/evaluation.hpp"

#include <span>

namespace mercer {

/// slope = ∂f(z(x, a))/∂x; returns f(z(x, a)). At a kink (x_j = a_j under |x_j − a_j|, x = a under
/// ‖x − a‖) the mean of both sides, 0. NaN for the cosine of a row of zeros, which has none.
double leaf_gradient(Ingredient ingredient, const Formula<double>& formula,
                     std::span<const double> x, std::span<const double> a, std::span<double> slope);

}  // namespace mercer
