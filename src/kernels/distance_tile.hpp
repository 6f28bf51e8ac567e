#pragma once
// Distances of rows by themselves, where no kernel is applied to them.

#include "kernels/evaluation.hpp"

namespace mercer {

/// out(i, j) = ‖x_i − y_j‖² or ‖x_i − y_j‖₁, each right to a few units in the last place per column
/// however near the rows are. False when something is not finite. Single-threaded.
bool distance_tile(Ingredient distance, const Rows<double>& x, const Rows<double>& y,
                   Eigen::Ref<Matrix<double>> out);

}  // namespace mercer
