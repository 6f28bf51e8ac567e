#pragma once
// Eigenpairs as squared singular values of the rows: nothing is squared before, so small variances
// stay accurate.

#include "operators/gram.hpp"
#include "pca/linear/spectrum.hpp"

namespace mercer {

/// Eigenpairs of aᵀa with their residuals, from the singular values and right vectors of `a`, the
/// rows or a triangle of theirs. Throws where a residual exceeds the tolerance.
void take_svd(Matrix<double> a, const FitOptions& options, Spectrum& s);

/// From a QR of the centred rows, streamed, and the SVD of its triangle; `s` has the mean, perhaps
/// rounded, and, perhaps, the scale. Where the bounds for a QR exceed the tolerance, the factor is
/// held against the scatter matrix: that of `known`, or of one more pass.
template <class T>
void take_qr(Passes<T>& passes, const FitOptions& options, Spectrum& s,
             const Moments* known = nullptr);

/// From the SVD of the centred rows, which are in memory and wide; `s` has what `centred_rows`
/// found.
template <class T>
void take_rows(const CentredRows<T>& a, const Passes<T>& passes, const FitOptions& options,
               Spectrum& s);

/// Rows in memory as A, about the mean in `s`; fills in the columns' scatter, noise and scale, and
/// takes what rounding left over into the mean.
template <class T>
CentredRows<T> centred_rows(const Passes<T>& passes, Spectrum& s, const FitOptions& options);

/// Standard deviations by column, 1 for constant ones; 2^exponent where rows were multiplied by
/// that and keep their mean.
template <class T>
Vector<double> scales(const Vector<double>& scatter, const Vector<double>& mean, double weight,
                      const FitOptions& options, int exponent = 0);

/// Relative error of the scales in D, where the scatter of a column is known to `column` of itself.
/// D⁻¹SD⁻¹ changes by at most twice that, relative to its norm, and so does a factor.
RoundingBound rounding_of_scales(RoundingBound column, double rows, double weight,
                                 const FitOptions& options);

/// Error of the scatter matrix if cells are imputed by inexact means: at most 2‖δ‖√(W·tr S), δ the
/// error of the mean of the observed cells. For a column with few of them, δ is up to N times the
/// offset that its sum shows (`filling`).
template <class T>
RoundingBound rounding_of_filling(const Spectrum& s, const Passes<T>& passes);

}  // namespace mercer
