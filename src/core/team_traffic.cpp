#include "core/team_traffic.hpp"

#include <cmath>
#include <cstdint>

namespace mercer {

void TeamTraffic::send_all(int from, int to, double bytes) {
  at(from) += {bytes, 0, std::ceil(bytes / static_cast<double>(largest_message))};
  at(to).received += bytes;
}

void TeamTraffic::broadcast_all(int root, double bytes) {
  for (int rank = 0; rank < size(); ++rank)
    if (rank != root) send_all(root, rank, bytes);
}

void TeamTraffic::all_of() {
  if (size() == 1) return;
  constexpr double each = sizeof(std::int64_t);
  for (int rank = 1; rank < size(); ++rank) send_all(rank, 0, each);
  broadcast_all(0, each * size());
}

void TeamTraffic::from_root(Index length) {
  if (size() == 1) return;
  broadcast_all(0, sizeof(std::int64_t));
  broadcast_all(0, sizeof(double) * static_cast<double>(length));
}

void TeamTraffic::send_numbers(int from, int to, Index count) {
  send_all(from, to, sizeof(std::int64_t));
  send_all(from, to, sizeof(double) * static_cast<double>(count));
}

}  // namespace mercer
