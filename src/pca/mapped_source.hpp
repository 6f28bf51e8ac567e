#pragma once
// φ(x) of a source, as a source: linear PCA of it is PCA in feature space.

#include "pca/standard.hpp"

#include <mercer/map.hpp>
#include <mercer/source.hpp>

#include <memory>

namespace mercer {

/// Blocks of φ(x), made on all threads. Source, map and standard stay with the caller.
template <class T>
std::unique_ptr<Source<T>> mapped_source(Source<T>& source, const Map<T>& map,
                                         const Standard* standard, int threads);

}  // namespace mercer
