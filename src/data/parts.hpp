#pragma once
// Several sources as one table.

#include <mercer/data.hpp>

#include <memory>

namespace mercer {

/// Sparse rows of a format that does not say how many columns there are, with as many as others
/// have: those at the end are zeros.
template <class T>
std::unique_ptr<Source<T>> widened(std::unique_ptr<Source<T>> source, Index features);

}  // namespace mercer
