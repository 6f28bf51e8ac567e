#pragma once
// φ(x) of a source, as a source: linear PCA of it is PCA in feature space.

#include "kernels/entry_error.hpp"
#include "pca/standard.hpp"

#include <mercer/map.hpp>
#include <mercer/source.hpp>

#include <memory>

namespace mercer {

/// The errors of features, of maps that bound them row by row (`MeasuresFeatureError`).
struct FeatureErrorSum {
  CellError cells{};  ///< of the cells that the map sees
  bool measured = false;
  double squares = 0;  ///< Σ w·e² over rows and features, the largest of all passes
};

/// Blocks of φ(x), made on all threads. Source, map, standard and errors stay with the caller.
/// `Out`: T, or double for floats. Messages count rows from `first`.
template <class T, class Out>
std::unique_ptr<Source<Out>> mapped_source(Source<T>& source, const Map<Out>& map,
                                           const Standard* standard, int threads,
                                           FeatureErrorSum* errors = nullptr, Index first = 0);

}  // namespace mercer
