#pragma once
// How block Krylov shares its memory between vectors and tiles of the kernel matrix.

#include <mercer/matrix.hpp>

#include <string>

namespace mercer {

struct KrylovRoom {
  Index block = 0;      ///< vectors in a pass
  Index basis = 0;      ///< vectors in all, where they fit
  double fixed = 0;     ///< bytes of a pass, of its start and of the program
  double vectors = 0;   ///< bytes that this leaves for the basis and for tiles
  double smallest = 0;  ///< bytes of the smallest basis that finds the pairs
  double tiles = 0;     ///< bytes of all tiles
};

/// For the first so many pairs of n rows within `budget` bytes; `rounded`: tiles in 32 bits.
template <class T>
KrylovRoom krylov_room(Index n, Index first, bool rounded, int threads, double budget);

/// Why there is no room; empty: there is.
std::string krylov_refusal(const KrylovRoom& room, Index n, Index first, double budget);

}  // namespace mercer
