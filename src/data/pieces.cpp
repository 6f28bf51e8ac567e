#include "data/pieces.hpp"

#include "core/team.hpp"

#include <algorithm>
#include <cstdint>

namespace mercer {

namespace {

/// The bytes before those of a rank; in an order in which no product overflows.
std::size_t bytes_before(std::size_t total, int rank, int ranks) {
  const auto r = static_cast<std::size_t>(rank), n = static_cast<std::size_t>(ranks);
  return total / n * r + total % n * r / n;
}

}  // namespace

std::vector<ByteRange> bytes_of_rank(const std::vector<CutFile>& files, int rank, int ranks) {
  std::size_t total = 0;
  for (const CutFile& file : files) total += file.bytes;
  const std::size_t begin = bytes_before(total, rank, ranks),
                    end = bytes_before(total, rank + 1, ranks);
  std::vector<ByteRange> mine;
  std::size_t before = 0;
  for (const CutFile& file : files) {
    const auto within = [&](std::size_t at) {
      return std::clamp(at, before, before + file.bytes) - before;
    };
    mine.push_back({within(begin), within(end)});
    before += file.bytes;
  }
  return mine;
}

std::vector<TextPiece> cut(const std::vector<CutFile>& files, Team& team) {
  const std::vector<ByteRange> mine = bytes_of_rank(files, team.rank(), team.size());
  std::int64_t first_file = -1, last_file = -1;  // texts that begin or end on other ranks
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i].text || mine[i].empty()) continue;
    if (mine[i].begin > 0) first_file = static_cast<std::int64_t>(i);
    if (mine[i].end < files[i].bytes) last_file = static_cast<std::int64_t>(i);
  }
  const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };

  csv::Tally last;
  agree(team, [&] {
    if (last_file >= 0)
      last = files[at(last_file)].text->tally(mine[at(last_file)].begin, mine[at(last_file)].end);
  });
  const std::vector<std::int64_t> first_files = all_of(team, first_file),
                                  last_files = all_of(team, last_file),
                                  quotes = all_of(team, static_cast<std::int64_t>(last.quotes)),
                                  lines = all_of(team, static_cast<std::int64_t>(last.newlines));

  std::optional<TextPlace> row;
  agree(team, [&] {
    if (first_file < 0) return;
    TextPlace begin{mine[at(first_file)].begin, 0};
    std::int64_t quotes_before = 0;
    for (int rank = 0; rank < team.rank(); ++rank)
      if (last_files[at(rank)] == first_file) {
        quotes_before += quotes[at(rank)];
        begin.lines += lines[at(rank)];
      }
    row = files[at(first_file)].text->row_from(begin, mine[at(first_file)].end,
                                               quotes_before % 2 != 0);
  });
  const std::vector<std::int64_t> first_rows =
      all_of(team, row ? static_cast<std::int64_t>(row->byte) : -1);

  // A piece ends where a later rank has found the next row.
  const auto next_row = [&](std::int64_t file) {
    for (int rank = team.rank() + 1; rank < team.size(); ++rank)
      if (first_files[at(rank)] == file && first_rows[at(rank)] >= 0)
        return at(first_rows[at(rank)]);
    return files[at(file)].bytes;
  };
  std::vector<TextPiece> pieces(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i].text) continue;
    const TextPlace first = files[i].text->first_row();
    const auto file = static_cast<std::int64_t>(i);
    pieces[i] = {first, first.byte};
    if (mine[i].empty() || (file == first_file && !row)) continue;
    if (file == first_file && row->byte > first.byte) pieces[i].first = *row;
    pieces[i].end = std::max(first.byte, file == last_file ? next_row(file) : files[i].bytes);
  }
  return pieces;
}

}  // namespace mercer
