#pragma once
// Discrete Fourier transforms of a few sequences side by side, with the instructions this machine
// has (found at run time). A result does not depend on the neighbours.

#include <mercer/matrix.hpp>

namespace mercer {

/// How many sequences there are. Number k of sequence s stands at z[2k·sequences + s], its
/// imaginary part `sequences` further on: side by side, they share a cache line.
template <class T>
constexpr Index sequences = Index{32} / static_cast<Index>(sizeof(T));

/// e^(−2πi k/size) for k < size: the real parts, then the imaginary ones.
template <class T>
Vector<T> roots_of_unity(Index size);

/// z becomes its transform, in bit-reversed order; `size` is a power of two.
template <class T>
void transform_forward(const Vector<T>& roots, Index size, T* z);

/// The sequences whose transform z is, in that order, times `size`.
template <class T>
void transform_back(const Vector<T>& roots, Index size, T* z);

/// product *= z, both transforms in bit-reversed order; when z is that of a + ib with real a and b,
/// and `both`, instead product *= â·b̂.
template <class T>
void multiply_transforms(Index size, const T* z, bool both, T* product);

}  // namespace mercer
