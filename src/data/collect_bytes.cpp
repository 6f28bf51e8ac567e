#include "data/collect_bytes.hpp"

#include "core/monitor.hpp"
#include "core/team.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

namespace mercer {

namespace {

constexpr std::size_t piece_bytes = std::size_t{4} << 20;

// Rank 0 asks for every piece: it has to be able to stop when the disk is full.
enum class Ask : char { stop, piece };

}  // namespace

void collect_bytes(Team& team, Spill& mine, const std::function<void(std::string_view)>& use,
                   const Monitor& monitor) {
  std::string_view bytes;
  std::string piece;
  agree(team, [&] {
    bytes = mine.view();
    if (team.rank() == 0) piece.resize(piece_bytes);
  });
  const std::vector<std::int64_t> sizes = all_of(team, static_cast<std::int64_t>(bytes.size()));
  if (team.rank() != 0) {
    while (!bytes.empty()) {
      Ask ask{};
      team.receive(0, &ask, sizeof ask);
      if (ask == Ask::stop) break;
      const std::size_t size = std::min(piece_bytes, bytes.size());
      team.send(0, bytes.data(), size);
      bytes.remove_prefix(size);
      mine.release();
    }
    return agree(team, [] {});
  }
  double total = 0, done = 0;
  for (const std::int64_t size : sizes) total += static_cast<double>(size);
  Reporter report(monitor, "collecting rows", "bytes", total);
  std::exception_ptr error;
  for (int rank = 1; rank < team.size(); ++rank) {
    auto left = static_cast<std::size_t>(sizes[static_cast<std::size_t>(rank)]);
    while (left > 0) {
      const Ask ask = error ? Ask::stop : Ask::piece;
      team.send(rank, &ask, sizeof ask);
      if (error) break;
      const std::size_t size = std::min(piece_bytes, left);
      team.receive(rank, piece.data(), size);
      left -= size;
      done += static_cast<double>(size);
      try {
        report(done);
        use({piece.data(), size});
      } catch (...) {
        error = std::current_exception();
      }
    }
  }
  agree(team, [&] {
    if (error) std::rethrow_exception(error);
  });
}

}  // namespace mercer
