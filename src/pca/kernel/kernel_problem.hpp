#pragma once
// The input of both eigensolvers of a kernel matrix, and what they share: how many
// eigenvalues to keep, and the last checks.

#include "pca/kernel/kernel_spectrum.hpp"

namespace mercer {

/// The input of both solvers.
template <class T>
struct KernelProblem {
  const Tiles<T>& tiles;
  const FitOptions& options;
  const double* weights;
  const KernelOrigin& origin;
  Team& team;         // ranks that compute it together; all have all tiles
  Vector<double> w;   // weights, or ones
  double noise = 0;   // eigenvalues below it are rounding
  double lowest = 0;  // eigenvalues below −lowest are more than rounding
};

template <class T>
KernelProblem<T> kernel_problem(const Tiles<T>& tiles, const FitOptions& options,
                                const double* weights, const KernelOrigin& origin, Team& team);

/// The most components that so many rows have. Throws when more are asked for.
Index most_components(Index n, const FitOptions& options);

/// How many of these eigenvalues to keep; 0 when more of them must be seen. Where rounding exceeds
/// what is allowed as it is, the caller refuses with better words: `uncertain` keeps what there is.
Index kept_components(const Components& asked, const Vector<double>& values, double trace,
                      double noise, bool all_seen, bool uncertain, const KernelOrigin& origin);

void require_kernel_variance(double trace, double noise, const KernelOrigin& origin);

/// Last checks, and what is certain. `ceiling` bounds the eigenvalues that are not among the pairs.
template <class T>
void finish_spectrum(KernelSpectrum& s, const KernelProblem<T>& p, const Vector<double>& residuals,
                     double ceiling, const RoundingBound& rounding, double confidence);

}  // namespace mercer
