#pragma once
// scikit-learn's PCA has min(n, d) components, also where the data have no variance left for them.

#include <mercer/model.hpp>

namespace mercer::python {

/// The model with its first `components`, or with orthonormal directions of no variance behind its
/// own.
template <class T>
Model<T> with_components(const Model<T>& model, Index components);

}  // namespace mercer::python
