#pragma once
// Discrete Fourier transforms of a few sequences side by side, with the instructions this machine
// has (found at run time). A result does not depend on the neighbours.

#include <mercer/matrix.hpp>

namespace mercer {

/// How many sequences there are: number k of sequence s stands at [k·sequences + s], real and
/// imaginary parts in arrays of their own.
template <class T>
constexpr Index sequences = Index{32} / static_cast<Index>(sizeof(T));

/// e^(−2πi k/size) for k < size: the real parts, then the imaginary ones.
template <class T>
Vector<T> roots_of_unity(Index size);

/// z becomes its transform, in bit-reversed order; `size` is a power of two.
template <class T>
void transform_forward(const Vector<T>& roots, Index size, T* re, T* im);

/// The sequences whose transform z is, in that order, times `size`.
template <class T>
void transform_back(const Vector<T>& roots, Index size, T* re, T* im);

/// product *= z, both transforms in bit-reversed order; when z is that of a + ib with real a and b,
/// and `both`, instead product *= â·b̂.
template <class T>
void multiply_transforms(Index size, const T* re, const T* im, bool both, T* product_re,
                         T* product_im);

}  // namespace mercer
