#pragma once
// Eigenpairs of rows that are gone, and what is certain of them.

#include "operators/centred_factor.hpp"
#include "pca/linear/spectrum.hpp"

#include <mercer/model.hpp>

namespace mercer {

struct IncrementalSpectrum {
  Spectrum spectrum;
  Certificate certificate;  ///< of all eigenvalues of the spectrum
};

/// From the moments, or from the triangular factor where an eigenvalue that is kept is so small
/// that squares have cost its digits.
template <class T>
IncrementalSpectrum spectrum_of(const Moments& moments, const CentredFactor& factor,
                                const FitOptions& options);

}  // namespace mercer
