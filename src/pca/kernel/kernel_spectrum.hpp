#pragma once
// Eigenpairs of a centred kernel matrix, by the dense or the Krylov solver.

#include "operators/tiles.hpp"
#include "pca/kernel/kernel_certificate.hpp"

#include <mercer/plan.hpp>
#include <mercer/team.hpp>

namespace mercer {

struct KernelSpectrum {
  Vector<double> eigenvalues;  ///< μ of the weighted, centred matrix, descending; those kept
  Matrix<double> vectors;      ///< rows, orthonormal
  Vector<double> residuals;    ///< relative to μ₁
  Vector<double> mean;         ///< K w / Σw
  double trace = 0;            ///< of the centred matrix: the whole variance, times the weight
  double tolerance = 0;        ///< what the residuals had to reach
  int passes = 0;
  bool dense = false;
  std::string why;
  Certificate certificate;
  /// Residuals and rounding together, relative to μ₁: the caller has to hold it against what is
  /// allowed.
  double error = 0;
  double rounding = 0;  ///< the part of that which no better residual makes smaller
};

/// The eigenpairs asked for, within `plan.work` bytes; of a team, all ranks have the same tiles and
/// get the same pairs. Throws when the matrix has fewer that are
/// more than rounding, or negative ones.
template <class T>
KernelSpectrum kernel_spectrum(const Tiles<T>& tiles, const FitOptions& options,
                               const double* weights, const Plan& plan, const KernelOrigin& origin,
                               Team& team = Team::alone());

}  // namespace mercer
