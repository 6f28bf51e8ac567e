#pragma once
// How far the entries of a kernel matrix may be off where some rows are more exact than others.

#include "kernels/entry_error.hpp"

#include <cmath>

namespace mercer {

struct TileError {
  EntryError entries;
  Vector<double> rows{};  ///< the entry of rows i and j may be off by rows_i + rows_j more

  /// As EntryError::of_matrix, for the weights w.
  double of_matrix(double norm, double trace, const Vector<double>& w) const {
    const double weight = w.sum(), out = entries.of_matrix(norm, trace, weight);
    if (rows.size() == 0) return out;
    // ‖U(r1ᵀ + 1rᵀ)U‖₂ is the larger eigenvalue of a matrix of rank 2.
    return out + w.dot(rows) + std::sqrt(weight * w.dot(rows.cwiseAbs2()));
  }
};

}  // namespace mercer
