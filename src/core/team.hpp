#pragma once
// What a team does together, written once over its transport: core/tree_sum.hpp has the
// sums, whose order is ours.
//
//     agree(team, [&] { share.read(); });               // fails on all ranks, or on none
//     const Index first = scan(team, rows.rows()).before;   // of this rank's rows in all of them
//
// All ranks of the team call these functions in the same order. None sends a message of more than
// 1 GiB.

#include <mercer/matrix.hpp>
#include <mercer/team.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace mercer {

inline constexpr std::size_t largest_message = std::size_t{1} << 30;

/// `Team::send` and so on, in messages of at most `most` bytes.
void send_all(Team& team, int to, const void* data, std::size_t bytes,
              std::size_t most = largest_message);
void receive_all(Team& team, int from, void* data, std::size_t bytes,
                 std::size_t most = largest_message);
void exchange_all(Team& team, int to, const void* out, std::size_t out_bytes, int from, void* in,
                  std::size_t in_bytes, std::size_t most = largest_message);
void broadcast_all(Team& team, int root, void* data, std::size_t bytes,
                   std::size_t most = largest_message);

/// Runs `work` on every rank. When it throws on some, the error of the first of these is thrown on
/// all of them. `work` sends nothing to other ranks: these would wait for its messages.
void agree(Team& team, const std::function<void()>& work);

/// Runs `work` on rank 0 only; all ranks agree on its error.
void on_root(Team& team, const std::function<void()>& work);

/// The numbers of all ranks, in their order.
std::vector<std::int64_t> all_of(Team& team, std::int64_t mine);

/// Sum over the ranks before this one, and over all.
struct Scanned {
  std::int64_t before = 0, total = 0;
};
Scanned scan(Team& team, std::int64_t mine);

/// `numbers` of rank 0 on all ranks, whatever these had.
void from_root(Team& team, Matrix<double>& numbers);
void from_root(Team& team, Vector<double>& numbers);
void from_root(Team& team, std::string& bytes);

/// Bytes whose number the receiver does not know.
void send_bytes(Team& team, int to, const std::string& bytes);
std::string receive_bytes(Team& team, int from);

/// Calls `take` on rank 0 with the bytes of each other rank, in their order.
void collect(Team& team, const std::string& bytes,
             const std::function<void(const std::string& bytes)>& take);

/// The bytes of each rank, on rank 0; nothing on the others.
std::vector<std::string> gather(Team& team, const std::string& bytes);

/// The rows of all ranks below each other, on rank 0; nothing on the others. All have the same
/// number of columns.
Matrix<double> gather_rows(Team& team, const Matrix<double>& rows);

/// Consecutive segments of the rows, [first, end) of `count`.
struct SegmentRange {
  Index first = 0, end = 0;
  Index size() const { return end - first; }
};

/// The segments of one rank: as many as the others have, or one more.
inline SegmentRange segments_of(Index count, int rank, int size) {
  return {count * rank / size, count * (rank + 1) / size};
}

/// A node of the binary tree over segments: 2^level of them, from number·2^level on.
struct SegmentNode {
  int level = 0;
  Index number = 0;
  friend auto operator<=>(const SegmentNode&, const SegmentNode&) = default;
};

/// The largest whole nodes that make up these segments, from the first on.
std::vector<SegmentNode> nodes_of(SegmentRange range);

}  // namespace mercer
