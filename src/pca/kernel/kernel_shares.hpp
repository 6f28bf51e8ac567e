#pragma once
// Exact kernel PCA of rows that lie on the ranks of a team, in the order of the ranks.

#include <mercer/fit.hpp>
#include <mercer/source.hpp>
#include <mercer/team.hpp>

namespace mercer {

/// The model of all rows, on all ranks, with the bits of `fit` on one process that has as much
/// memory left after the rows. `mine`: the rows of this rank, with a weight each, or null on all
/// ranks. Every rank takes a copy of all rows, within its memory, and computes its pairs of them;
/// `options` are the same on all ranks, but for threads and the monitor. An error of one rank is
/// thrown on all.
template <class T>
Model<T> fit_kernel_shares(Team& team, const Rows<T>& mine, const double* weights,
                           const FitOptions& options, const Schema& schema);

/// The same for the rows of a source, which are read into memory unless they lie there.
template <class T>
Model<T> fit_kernel_shares(Source<T>& source, const FitOptions& options);

}  // namespace mercer
