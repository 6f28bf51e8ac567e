#include "pca/kernel/krylov_room.hpp"

#include "core/memory.hpp"
#include "operators/kernel_matrix.hpp"
#include "pca/method_cost.hpp"
#include "solvers/krylov.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mercer {

template <class T>
KrylovRoom krylov_room(Index n, Index first, bool rounded, int threads, double budget) {
  const auto rows = static_cast<double>(n);
  KrylovRoom room;
  room.tiles = KernelMatrix<T>::bytes_of_all(rows, rounded);
  // Stored tiles cost memory traffic, so few vectors per pass; recomputed ones cost kernel values,
  // which more vectors share.
  room.block = std::min<Index>(n, room.tiles <= 0.9 * budget ? (first <= 12 ? 8 : 16) : 32);
  const double pass =
      KernelMatrix<T>::bytes_of_pass(rows, static_cast<double>(room.block), threads);
  const double starting = 2.0 * 8 * 64 * rows;
  const double probes = 8.0 * static_cast<double>(probe_vectors) * rows;
  room.fixed = overhead_bytes + std::max(pass, starting) + probes;
  room.vectors = budget - overhead_bytes - std::max(pass, starting) - probes;
  room.smallest = static_cast<double>(
      memory_bytes({.block = room.block, .basis = std::min(n, first + 2 * room.block)}, n, first));
  // Few vectors per pass need many passes: a larger basis saves restarts, and keeps the random
  // vectors that show what was missed.
  room.basis = first + 8 * room.block;
  if (16 * rows * static_cast<double>(first + 192) <= 0.1 * budget)
    room.basis = std::max(room.basis, first + 192);
  room.basis = std::min(n, room.basis);
  return room;
}

std::string krylov_refusal(const KrylovRoom& room, Index n, Index first, double budget) {
  if (room.vectors >= room.smallest) return {};
  // Rows may exceed the budget: nothing is left then.
  return fmt::format(
      "`memory` leaves {} after the rows, and the vectors of {} components of {} rows alone need "
      "{}; use a larger `memory` or fewer components",
      format_bytes(std::max(0.0, budget)), first, n, format_bytes(room.smallest + room.fixed));
}

template KrylovRoom krylov_room<float>(Index, Index, bool, int, double);
template KrylovRoom krylov_room<double>(Index, Index, bool, int, double);

}  // namespace mercer
