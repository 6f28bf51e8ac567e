#pragma once
// Cosines and sines side by side, with the instructions this machine has (found at run time).

#include <mercer/matrix.hpp>

namespace mercer {

/// out[2i] = scale·cos z[i], out[2i + 1] = scale·sin z[i]. Within 2 ulp of both for any z (double;
/// float: 2 ulp and 1e-10); slower beyond |z| = 1e6 (float: 1e4). Not a number where z is infinite.
template <class T>
void cosines_and_sines(const T* z, Index n, T scale, T* out);

}  // namespace mercer
