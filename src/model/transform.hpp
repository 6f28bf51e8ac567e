#pragma once

#include <mercer/model.hpp>

namespace mercer {

/// B as used by `Model::transform`: B·diag(1/scale) for the identity, Bᵀ where many components
/// make BLAS the better choice, and nothing where the components will do as they are.
template <class T>
Matrix<T> encoder(const ModelParts<T>& parts);

}  // namespace mercer
