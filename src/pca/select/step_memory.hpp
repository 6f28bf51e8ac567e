#pragma once
// The memory of the steps before a fit: imputing missing values, and the permutation test of
// `components=significant()`. A budget that is too small for a step or for the fit after it is
// refused before any of them, with the least that is enough for all.

#include <mercer/map.hpp>
#include <mercer/plan.hpp>
#include <mercer/source.hpp>

namespace mercer {

/// The options of the fits while missing values are imputed, whose memory is what the rows, `rows`
/// of them, and their copies leave; `with_holes` are worked on as well. Throws
/// `Errc::out_of_memory` with the least that would do.
template <class T>
FitOptions within_imputation(const FitOptions& options, Index rows, Index with_holes, Index cols);

/// Rows that have a missing value.
template <class T>
Index rows_with_holes(const Rows<T>& x);

/// The same before the rows of a source are read, which are counted for it.
template <class T>
void require_imputation(Source<T>& source, const FitOptions& options);

/// The options of the permutation test of the rows of a source: memory and number of fits at the
/// same time. Throws `Errc::out_of_memory` with the least that would do.
template <class T>
FitOptions within_permutations(Source<T>& source, const Map<T>* map, const FitOptions& options);

}  // namespace mercer
