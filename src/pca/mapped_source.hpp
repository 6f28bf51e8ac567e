#pragma once
// φ(x) of a source, as a source: linear PCA of it is PCA in feature space.

#include "pca/standard.hpp"

#include <mercer/map.hpp>
#include <mercer/source.hpp>

#include <memory>

namespace mercer {

/// Blocks of φ(x), made on all threads. Source, map and standard stay with the caller. `Out`: T, or
/// double for floats.
template <class T, class Out>
std::unique_ptr<Source<Out>> mapped_source(Source<T>& source, const Map<Out>& map,
                                           const Standard* standard, int threads);

}  // namespace mercer
