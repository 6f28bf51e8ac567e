#pragma once
// The sums of a covariance matrix over all rows, in one pass, and in another about the mean where
// the first rows were no guide to it.

#include "data/preprocess.hpp"
#include "pca/passes.hpp"

#include <mercer/fit.hpp>
#include <mercer/moments.hpp>

namespace mercer {

/// Centring after the fact may cost as many digits and no more: in dense rows, which another pass
/// gives back, and in sparse ones, which that pass makes dense.
constexpr double dense_cancellation = 100, sparse_cancellation = 1e4;

/// `at`: where missing cells lie (`Missing::mean`). Throws `OutOfRange` (spectrum_checks.hpp) for
/// sums that a double does not hold.
template <class T>
Moments column_moments(Passes<T>& passes, const FitOptions& options, const Preprocess& at);

}  // namespace mercer
