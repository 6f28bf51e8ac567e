#pragma once
// Linear PCA, and approximate kernel PCA, of rows that lie on the ranks of a team (row_sums.hpp has
// how). All ranks call these
// functions together.

#include "pca/standard.hpp"

#include <mercer/fit.hpp>

#include <string>

namespace mercer {

inline bool over_team(const FitOptions& options) {
  return options.team && options.team->size() > 1;
}

/// The options as `settled` makes them. Throws where ranks differ in options or columns, and for
/// what is not distributed; `map`: null for none.
template <class T>
FitOptions agreed(const FitOptions& asked, const Schema& schema, const Map<T>* map = nullptr);

/// The model of the rows of all ranks, with the bits of `fit` on one process by the same solver.
template <class T>
Model<T> fit_shares(Source<T>& source, const FitOptions& options);

/// `find_standard` for the rows of all ranks; `first`: the row at which this rank begins.
template <class T>
Standard standard_of_shares(Source<T>& source, const FitOptions& options, Index& first);

}  // namespace mercer
