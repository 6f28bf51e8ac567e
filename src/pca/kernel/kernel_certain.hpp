#pragma once
// The spectrum of a kernel matrix, certain to the tolerance: by a better method where rounding
// takes too much, or not at all.

#include "pca/kernel/kernel_spectrum.hpp"

namespace mercer {

/// Entries may be off by this much more.
template <class T>
void add_error(Tiles<T>& tiles, const EntryError& more) {
  for (TileError* error : {&tiles.worst, &tiles.likely}) {
    error->entries.absolute += more.absolute;
    error->entries.diagonal += more.diagonal;
  }
}

/// The spectrum, certain to what is allowed: float rows take their kernel in double where float
/// would be too coarse, others their squared distances from differences. `kernel`: null where the
/// tiles are those of a given matrix; `centring`: error of the entries, as rows were centred.
template <class T>
KernelSpectrum certain_spectrum(const Tiles<T>& tiles, const Kernel* kernel, const Rows<T>& rows,
                                const FitOptions& options, const double* weights, double budget,
                                const KernelOrigin& origin, double centring);

}  // namespace mercer
