#pragma once
// How far random features are from their kernel, by pairs of rows of a sample.

#include "fit/sampled_rows.hpp"

#include <mercer/map.hpp>
#include <mercer/model.hpp>

namespace mercer {

/// ‖K − K̂‖_F / ‖K‖_F of all rows, `weight` of them, estimated without bias in its squares from the
/// pairs of the first sampled rows; its standard error by leaving out one row after the other
/// (jackknife). No eigenvalue is off by more than ‖K − K̂‖_F (Weyl), here with two standard errors.
template <class T>
Approximation sample_error(const Kernel& kernel, const Map<T>& map,
                           const std::vector<SampledRow<T>>& sample, Index cols, bool sparse,
                           double weight);

}  // namespace mercer
