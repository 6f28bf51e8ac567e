#pragma once
// How many components a Gaussian with noise has: Minka, "Automatic choice of dimensionality for
// PCA", NIPS 2000.

#include <cstddef>
#include <span>

namespace mercer::python {

/// The k in [1, d − 1] of most evidence, Laplace's approximation; `spectrum`: all d variances,
/// descending. O(d²).
std::size_t minka_dimension(std::span<const double> spectrum, double rows);

}  // namespace mercer::python
