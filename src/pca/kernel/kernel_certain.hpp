#pragma once
// The spectrum of a kernel matrix, certain to the tolerance: by a better method where rounding
// takes too much, or not at all.

#include "pca/kernel/kernel_spectrum.hpp"

#include <functional>

namespace mercer {

/// Entries may be off by this much more.
template <class T>
void add_error(Tiles<T>& tiles, const EntryError& more) {
  for (TileError* error : {&tiles.worst, &tiles.likely}) {
    error->entries.absolute += more.absolute;
    error->entries.diagonal += more.diagonal;
  }
}

/// How far rows may be off that were changed before a kernel sees them.
struct RowRounding {
  double centring = 0;  ///< error of the entries, as rows were centred
  CellError cells{};    ///< of z-scores
  /// Of rows of floats, the z-scores in double, and their error. Null: the floats were given.
  std::function<Matrix<double>()> wide{};
  CellError wide_cells{};
};

/// The spectrum, certain to what is allowed: float rows take their kernel in double where float
/// would be too coarse, others their squared distances from differences. `kernel`: null where the
/// tiles are those of a given matrix.
template <class T>
KernelSpectrum certain_spectrum(const Tiles<T>& tiles, const Kernel* kernel, const Rows<T>& rows,
                                const FitOptions& options, const double* weights, const Plan& plan,
                                const KernelOrigin& origin, const RowRounding& rounding,
                                Team& team = Team::alone());

}  // namespace mercer
