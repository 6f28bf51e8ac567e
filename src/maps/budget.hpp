#pragma once
// Whether the features of a map can be held at all, asked before anything is allocated.

#include <mercer/map.hpp>

#include <cstddef>

namespace mercer {

/// Throws `Errc::out_of_memory`, with the number of features and the memory they need, unless
/// D·numbers_a_feature numbers of type T fit in `budget` bytes. (D per feature for a covariance
/// matrix, N for stored rows.)
template <class T>
void require_fits(const Map<T>& map, double numbers_a_feature, std::size_t budget);

}  // namespace mercer
