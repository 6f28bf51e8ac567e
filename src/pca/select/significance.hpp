#pragma once
// From "as many as are more than chance" to a number of components.

#include <mercer/data.hpp>
#include <mercer/significance.hpp>

namespace mercer {

/// Components that the permutation test begins with; four times as many when all are significant.
constexpr Index first_look = 16;

/// Rows that it takes of so many, where the caller does not limit them.
Index permuted_rows(Index rows, Index cols, bool kernel);

/// Of one of its fits: the first eigenvalues only, by one thread.
FitOptions permutation_fit(FitOptions fit, Index most);

/// A sample of the rows of a source for parallel analysis. The source is left at its first row.
template <class T>
Table<T> rows_for_significance(Source<T>& source, const FitOptions& options);

/// The options with the number that was found. Throws when it is 0.
FitOptions with_choice(const FitOptions& options, const ComponentChoice& choice);

/// The model, which has all components, cut to those above the threshold.
template <class T>
Model<T> cut_by_gavish_donoho(const Model<T>& all);

/// The model, which has all components, cut to as many as have the most evidence.
template <class T>
Model<T> cut_by_minka(const Model<T>& all);

/// Its first `kept` components, with the reason in the report.
template <class T>
Model<T> with_first(const Model<T>& all, Index kept, std::string method, std::string reason);

}  // namespace mercer
