#pragma once
// The Krylov solver: as few passes over the kernel matrix as its largest eigenpairs need.

#include "pca/kernel/kernel_problem.hpp"

#include <optional>

namespace mercer {

/// Krylov until it has what was asked for: without rounded tiles where these are too coarse, with a
/// larger basis where more pairs are needed than it holds. Nothing when dense is faster.
template <class T>
std::optional<KernelSpectrum> krylov_spectrum(const KernelProblem<T>& p, double budget,
                                              bool leave_many);

}  // namespace mercer
