#pragma once
// How block Krylov shares its memory between vectors and tiles of the kernel matrix.

#include "solvers/krylov.hpp"

#include <mercer/plan.hpp>
#include <mercer/team.hpp>

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

/// Bytes that its rows of the vectors leave a rank for tiles. `how` is that of one process, for any
/// number of ranks.
template <class T>
double tile_room(const KrylovRoom& room, const BlockKrylov& how, Index n, Index first, int threads,
                 int rank, int ranks);

/// What is known of a run before it: the size of the first eigenvalue is assumed.
struct KrylovOutlook {
  Index first = 0;       ///< pairs that the basis is made for
  bool rounded = false;  ///< tiles in 32 bits
  KrylovRoom room{};     ///< with tiles as they are
  KrylovRoom used{};     ///< with tiles as they will be
  double basis = 0;      ///< bytes of vectors
  double kept = 0;       ///< of tiles
};
KrylovOutlook krylov_outlook(const Facts& facts, const FitOptions& options, double work);

}  // namespace mercer
