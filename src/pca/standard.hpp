#pragma once
// Rows as a map or a kernel sees them: missing cells filled in, z-scores when asked for.

#include "data/preprocess.hpp"
#include "kernels/entry_error.hpp"
#include "pca/passes.hpp"

#include <mercer/fit.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// What is done to a row before φ, and what is known of it.
struct Standard : Preprocess {
  std::vector<bool> constant{};  ///< columns that vary by no more than rounding; their scale is 1
  CellError error{};             ///< of z-scores in double
  /// Columns that count as constant though their numbers differ.
  std::vector<Index> as_constant{};

  template <class Use>
  void members(Use&& use) {
    use(mean, rest, scale, constant, error, as_constant);
  }
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

/// Whether rows have to be copied to be seen that way.
inline bool changes_rows(const FitOptions& options) {
  return options.scale == Scale::std || options.missing == Missing::mean;
}

/// How far the cells of such rows may be off. Means that were put into missing cells
/// of rows without a scale are what was asked about.
template <class T>
CellError cell_error(const Standard& standard) {
  CellError error = standard.error;
  if (error.any() && sizeof(T) == sizeof(float)) error.relative += 0x1.01p-24;
  return error;
}

}  // namespace mercer
