#pragma once
// A few scores of a block of features, with the instructions this machine has (found at run time).
//
// BLAS packs the block before it multiplies; with few components that costs as much as the product.
// Here features are read in place, and the mean is subtracted on the way.

#include <mercer/matrix.hpp>

namespace mercer {

/// Up to this many components it beats taking the mean off and BLAS.
constexpr Index few_components = 20;

/// Y = (A − 1·mᵀ) Bᵀ, or Y += that. A: rows×cols, B: k×cols, Y: rows×k; rows lie their stride
/// apart. Each entry of Y is computed in the same way wherever its row is in the block.
template <class T>
void centred_product(const T* a, Index rows, Index cols, Index a_stride, const T* mean, const T* b,
                     Index k, Index b_stride, T* y, Index y_stride, bool add);

}  // namespace mercer
