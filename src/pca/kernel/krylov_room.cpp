#include "pca/kernel/krylov_room.hpp"

#include "core/memory.hpp"
#include "core/row_segments.hpp"
#include "operators/kernel_matrix.hpp"
#include "pca/method_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

template <class T>
double tile_room(const KrylovRoom& room, const BlockKrylov& how, Index n, Index first, int threads,
                 int rank, int ranks) {
  const RowSegments segments(n);
  const Index own = segments.rows_of(segments_of(segments.count(), rank, ranks)).size();
  const auto pass = [&](int of, int all) {
    return KernelMatrix<T>::bytes_of_pass(static_cast<double>(n), static_cast<double>(how.block),
                                          threads, of, all);
  };
  return room.vectors - static_cast<double>(memory_bytes(how, n, first)) +
         16.0 * static_cast<double>((n - own) * (how.basis + how.block)) + pass(0, 1) -
         pass(rank, ranks);
}

KrylovOutlook krylov_outlook(const Facts& f, const FitOptions& o, double work) {
  using Kind = Components::Kind;
  const auto n = std::max<Index>(1, static_cast<Index>(f.rows));  // 0: unknown
  const bool wide = f.number_bytes == sizeof(double);
  const Kind asked = o.components.kind();
  // All of them may be few, where the kernel is smooth; who asks for both is taken at their word.
  const bool all = asked == Kind::all && o.solver == Solver::krylov;
  KrylovOutlook out;
  out.first = std::min<Index>(n, asked == Kind::count ? o.components.count() : all ? n : 32);
  const auto room_for = [&](bool rounded) {
    return wide ? krylov_room<double>(n, out.first, rounded, f.threads, work)
                : krylov_room<float>(n, out.first, rounded, f.threads, work);
  };
  out.room = room_for(false);
  // If the tolerance allows it, assuming that the first eigenvalue is a tenth of the trace.
  const bool allowed = f.rows >= 8000 && std::ldexp(30.0, -32) <= o.tolerance;
  const bool scarce = out.room.tiles > 0.9 * work && out.room.tiles < 5 * work;
  out.rounded = wide && (allowed || scarce);
  out.used = out.rounded ? room_for(true) : out.room;
  out.basis = std::min(out.room.vectors,
                       static_cast<double>(memory_bytes(
                           {.block = out.used.block, .basis = out.used.basis}, n, out.first)));
  out.kept = std::clamp(out.room.vectors - out.basis, 0.0, out.used.tiles);
  return out;
}

#define MERCER_INSTANTIATE(T)                                          \
  template KrylovRoom krylov_room<T>(Index, Index, bool, int, double); \
  template double tile_room<T>(const KrylovRoom&, const BlockKrylov&, Index, Index, int, int, int);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
