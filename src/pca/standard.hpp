#pragma once
// Rows as a map or a kernel sees them: missing cells filled in, z-scores when asked for.

#include "pca/passes.hpp"

#include <mercer/fit.hpp>

#include <vector>

namespace mercer {

/// What is done to a row x before φ: NaN → mean, then (x − mean)/scale where there is a scale.
struct Standard {
  Vector<double> mean;           ///< of the columns, of the cells that are there
  Vector<double> scale;          ///< standard deviations; empty: none
  std::vector<bool> constant{};  ///< columns that vary by no more than rounding; their scale is 1
};

/// One pass over the rows for the mean, another for the scale.
template <class T>
Standard find_standard(Passes<T>& passes, const FitOptions& options);

/// Whether rows have to be copied to be seen that way.
inline bool changes_rows(const FitOptions& options) {
  return options.scale == Scale::std || options.missing == Missing::mean;
}

/// Names the first entry that is not a number (or not finite, where missing cells are filled).
template <class T>
void require_finite(const Rows<T>& x, bool missing_are_filled);

/// The rows, dense.
template <class T>
Matrix<T> standardized(const Rows<T>& rows, const Standard& standard);

}  // namespace mercer
