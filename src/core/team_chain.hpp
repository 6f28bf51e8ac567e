#pragma once
// Sums that depend on every row before: they go from rank to rank, in the order of the rows.

#include "core/packed.hpp"
#include "core/team.hpp"

#include <exception>
#include <functional>

namespace mercer {

/// Runs `add` on one rank after the other; each has in `state` (core/packed.hpp) what those before
/// have left there. That of the last rank is returned to rank 0. An error of one rank is thrown on
/// all.
template <class State>
void chain(Team& team, State& state, const std::function<void()>& add) {
  const int rank = team.rank(), last = team.size() - 1;
  const auto take = [&](int from) { unpack(receive_bytes(team, from), state); };
  if (rank > 0) take(rank - 1);
  std::exception_ptr error;
  try {
    add();
  } catch (...) {
    error = std::current_exception();  // the next rank is waiting
  }
  if (rank < last) send_bytes(team, rank + 1, packed(state));
  agree(team, [&] {
    if (error) std::rethrow_exception(error);
  });
  if (last == 0) return;
  if (rank == last) send_bytes(team, 0, packed(state));
  if (rank == 0) take(last);
}

}  // namespace mercer
