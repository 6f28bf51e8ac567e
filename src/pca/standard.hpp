#pragma once
// Rows as a map or a kernel sees them: missing cells filled in, z-scores when asked for.

#include "kernels/entry_error.hpp"
#include "pca/passes.hpp"

#include <mercer/fit.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// What is done to a row x before φ: NaN → mean, then (x − mean)/scale where there is a scale.
struct Standard {
  Vector<double> mean;           ///< of the columns, over the observed cells; 0 for x/scale
  Vector<double> scale;          ///< deviations about the mean; empty: none
  std::vector<bool> constant{};  ///< columns that vary by no more than rounding; their scale is 1
  /// What rounding has left of the mean: at 1e9 it is 1e-7. z-scores have it taken off too where
  /// this is not empty.
  Vector<double> rest{};
  CellError error{};  ///< of z-scores in double
  /// Columns that count as constant though their numbers differ.
  std::vector<Index> as_constant{};
};

/// What becomes of such columns, for a certificate: "column 2 varies by … and is not scaled".
std::string constant_columns(const std::vector<Index>& columns, std::string_view fate);

/// Extends the reason of a certificate.
inline void add_reason(Certificate& certificate, const std::string& more) {
  if (!more.empty()) certificate.reason += (certificate.reason.empty() ? "" : "; ") + more;
}

/// One pass over the rows for the mean, another for the scale. Rows that are scaled but not centred
/// keep their mean: they are divided by the same deviations.
template <class T>
Standard find_standard(Passes<T>& passes, const FitOptions& options);

/// Adds Σ w (x − centre) of each column, missing cells on the centre. With the mean as the centre
/// that is what rounding has left of it, which the difference of two rounded means does not tell.
template <class T>
void add_offsets(const Rows<T>& rows, const double* weights, const Vector<double>& centre,
                 Vector<double>& sums);

/// Whether rows have to be copied to be seen that way.
inline bool changes_rows(const FitOptions& options) {
  return options.scale == Scale::std || options.missing == Missing::mean;
}

/// Names the first entry that is not a number (or not finite, where missing cells are filled); rows
/// are counted from `first`.
template <class T>
void require_finite(const Rows<T>& x, bool missing_are_filled, Index first = 0);

/// The rows, dense; `Out` may be wider than T.
template <class Out, class T>
Matrix<Out> standardized_as(const Rows<T>& rows, const Standard& standard);
template <class T>
Matrix<T> standardized(const Rows<T>& rows, const Standard& standard) {
  return standardized_as<T>(rows, standard);
}

/// How far the cells that `standardized` gives may be off. Means that were put into missing cells
/// of rows without a scale are what was asked about.
template <class T>
CellError cell_error(const Standard& standard) {
  CellError error = standard.error;
  if (error.any() && sizeof(T) == sizeof(float)) error.relative += 0x1.01p-24;
  return error;
}

/// The same about the mean as it is rounded, which is what a model has: for kernels that may see by
/// how little rows differ, and for which nothing but differences counts.
Standard about_rounded_mean(Standard standard);

}  // namespace mercer
