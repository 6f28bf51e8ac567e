#pragma once
// What rounding did to the scatter matrix that moments hold, and to a factor held against it.

#include "pca/linear/spectrum.hpp"

namespace mercer {

/// Of the scatter matrix, or of that of z-scores.
struct MomentErrors {
  RoundingBound matrix;  ///< bound on the 2-norm, apart from the scales
  RoundingBound scales;  ///< relative
};

/// `s` has the scales, and the scatter and noise of the columns as they are scaled.
MomentErrors rounding_of_moments(const Moments& moments, const Spectrum& s,
                                 const FitOptions& options);

/// Bound on the 2-norm of a matrix whose entries passed so many roundings, each relative to
/// √(squares_i·squares_j).
RoundingBound rounding_of_sums(double depth, const Vector<double>& squares);

/// Errors of LAPACK's eigenvalues and of the residuals as they are computed, relative to ‖S‖.
RoundingBound rounding_of_eigenpairs(Index n);

/// Sums of squares below this may have lost terms to underflow that count: 2⁻¹⁰²²/ε².
constexpr double least_squares = 0x1p-918;

/// ‖S‖ or a little more; Σμ² may have underflowed.
double norm_of(const Spectrum& s);

/// Bounds the error of a triangular factor after the fact: ‖S − RᵀR‖ as it is computed, and the
/// rounding of the S that moments hold, are what R can be off by. The constants that theory has for
/// a QR are hundreds of times larger. `s` is the spectrum of R, whose columns are scaled; its
/// `rounding` then bounds the distance of RᵀR from the scatter matrix of the problem. d³ flops.
void hold_against(const Moments& moments, Matrix<double> r, const FitOptions& options, Spectrum& s);

}  // namespace mercer
