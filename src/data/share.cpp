#include "data/share.hpp"

#include "core/require.hpp"
#include "core/team.hpp"
#include "data/formats.hpp"
#include "data/like.hpp"
#include "data/parts.hpp"
#include "data/pieces.hpp"
#include "data/row_range.hpp"
#include "data/same_files.hpp"
#include "data/unusable.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <utility>

namespace mercer {

namespace {

/// What a pass over all rows tells.
struct Counts {
  Index mine = -1;  // rows of this rank; −1: not counted
  Index dropped = 0, missing = 0;
};

template <class T>
class Share final : public ForwardingSource<T> {
 public:
  Share(std::unique_ptr<Source<T>> source, const Counts& counts)
      : ForwardingSource<T>(std::move(source)), counts_(counts) {}

  Index expected_rows() const override {
    return counts_.mine >= 0 ? counts_.mine : this->source_.expected_rows();
  }
  Index dropped_rows() const override { return counts_.dropped; }
  Index missing_cells() const override { return counts_.missing; }
  std::optional<Block<T>> next() override { return this->source_.next(); }
  std::optional<Block<T>> whole() override { return this->source_.whole(); }

 private:
  Counts counts_;
};

/// A file that all ranks have opened. What narrows it stays valid wherever its rows go.
template <class T>
struct SharedFile {
  CutFile file;
  InPieces<T> opened;
  Source<T>* rows = nullptr;  // those of `opened`
  bool counts = true;         // what this rank finds dropped or missing counts, not only its rows
};

/// Files that cannot be read from the middle have their rows in memory, or have one reader.
template <class T>
SharedFile<T> open_shared(const std::string& path, const ReadOptions& options) {
  SharedFile<T> out;
  std::unique_ptr<ByteStream> bytes = open_bytes(path, options.monitor);
  out.file.bytes = std::filesystem::file_size(path);
  const bool plain = bytes->descriptor() >= 0;
  const Format format = chosen_format(path, options);
  InPieces<T>& opened = out.opened;
  if (plain && (format == Format::csv || format == Format::tsv)) {
    ReadOptions reading = options;
    if (format == Format::tsv && reading.delimiter == 0) reading.delimiter = '\t';
    opened = open_csv_in_pieces<T>(std::move(bytes), reading);
  } else if (plain && format == Format::npy) {
    opened = open_npy_in_pieces<T>(std::move(bytes), options);
  } else {
    opened.rows = open<T>(path, options);
  }
  if (!opened.text && !opened.matrix) {
    auto range = std::make_unique<RowRange<T>>(std::move(opened.rows));
    opened.matrix = range.get();
    opened.rows = std::move(range);
  }
  if (options.columns.empty())
    opened.rows = in_order(std::move(opened.rows), options.like.features);
  out.file.text = opened.text;
  return out;
}

template <class T>
std::vector<SharedFile<T>> open_files(const std::vector<std::string>& paths,
                                      const ReadOptions& options) {
  std::vector<SharedFile<T>> files;
  Index widest = 0;
  for (const std::string& path : paths) {
    files.push_back(open_shared<T>(path, options));
    widest = std::max(widest, files.back().opened.rows->schema().features);
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    InPieces<T>& opened = files[i].opened;
    if (chosen_format(paths[i], options) == Format::svm)
      opened.rows = widened(std::move(opened.rows), widest);
    files[i].rows = opened.rows.get();
  }
  return files;
}

/// Leaves this rank its piece of each file.
template <class T>
void narrow(std::vector<SharedFile<T>>& files, Team& team) {
  std::vector<CutFile> list;
  for (const SharedFile<T>& file : files) list.push_back(file.file);
  const std::vector<ByteRange> mine = bytes_of_rank(list, team.rank(), team.size());
  const std::vector<TextPiece> texts = cut(list, team);
  agree(team, [&] {
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (files[i].opened.text) {
        files[i].opened.text->narrow(texts[i].first, texts[i].end);
        continue;
      }
      RowPieces& matrix = *files[i].opened.matrix;
      const Index rows = matrix.all_rows();
      const bool is_one_piece = rows == RowRange<T>::all;
      const bool has_begin = mine[i].begin == 0 && !mine[i].empty();
      const auto before = [&](std::size_t byte) {
        if (byte == list[i].bytes) return rows;
        return static_cast<Index>(static_cast<double>(rows) * static_cast<double>(byte) /
                                  static_cast<double>(list[i].bytes));
      };
      if (is_one_piece) matrix.narrow(0, has_begin ? rows : 0);
      else matrix.narrow(before(mine[i].begin), before(mine[i].end));
      const bool is_mapped = dynamic_cast<const RowRange<T>*>(&matrix) == nullptr;
      files[i].counts = is_mapped || has_begin;
    }
  });
}

/// The sums over the ranks.
std::vector<std::int64_t> summed(Team& team, const std::vector<std::int64_t>& mine) {
  const std::size_t bytes = mine.size() * sizeof(std::int64_t);
  std::string text(bytes, '\0');
  std::memcpy(text.data(), mine.data(), bytes);
  std::vector<std::int64_t> sums(mine.size()), one(mine.size());
  for (const std::string& part : gather(team, text)) {
    std::memcpy(one.data(), part.data(), bytes);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += one[i];
  }
  std::memcpy(text.data(), sums.data(), bytes);
  from_root(team, text);
  std::memcpy(sums.data(), text.data(), bytes);
  return sums;
}

/// Reads all rows, to count those that are dropped and the cells that are missing.
template <class T>
Counts count(const std::vector<SharedFile<T>>& files, Team& team) {
  constexpr std::size_t rows = 0, dropped = 1, missing = 2, each = 3;
  std::vector<std::int64_t> mine(each * files.size());
  std::exception_ptr error;
  std::size_t done = 0;
  try {
    for (; done < files.size(); ++done) {
      Source<T>& file = *files[done].rows;
      std::int64_t* const counts = mine.data() + each * done;
      while (const auto block = file.next()) counts[rows] += block->rows.rows();
      if (!files[done].counts) continue;
      counts[dropped] = file.dropped_rows();
      counts[missing] = file.missing_cells();
    }
  } catch (...) {
    error = std::current_exception();
  }
  const std::vector<std::int64_t> all_done = all_of(team, static_cast<std::int64_t>(done));
  const std::vector<std::int64_t> sums = summed(team, mine);
  agree(team, [&] {
    const auto complete = static_cast<std::size_t>(*std::ranges::min_element(all_done));
    for (std::size_t i = 0; i < complete; ++i)
      if (sums[each * i + rows] == 0 && sums[each * i + dropped] > 0)
        fail_all_dropped(files[i].rows->name());
    if (error) std::rethrow_exception(error);
    for (const SharedFile<T>& file : files) file.rows->rewind();
  });
  Counts out{.mine = 0};
  for (std::size_t i = 0; i < files.size(); ++i) {
    out.mine += mine[each * i + rows];
    out.dropped += sums[each * i + dropped];
    out.missing += sums[each * i + missing];
  }
  return out;
}

/// Categories depend on all rows: every rank reads them, and the first counts them.
template <class T>
std::unique_ptr<Source<T>> share_of_all(const std::vector<std::string>& paths,
                                        const ReadOptions& options, Team& team) {
  std::unique_ptr<RowRange<T>> range;
  agree(team, [&] { range = std::make_unique<RowRange<T>>(open_parts<T>(paths, options)); });
  range->narrow(0, RowRange<T>::all);
  std::int64_t counts[3] = {};
  on_root(team, [&] {
    while (const auto block = range->next()) counts[0] += block->rows.rows();
    counts[1] = range->dropped_rows();
    counts[2] = range->missing_cells();
    range->rewind();
  });
  team.broadcast(0, counts, sizeof counts);
  const SegmentRange mine = segments_of(counts[0], team.rank(), team.size());
  range->narrow(mine.first, mine.end);
  return std::make_unique<Share<T>>(std::move(range), Counts{mine.size(), counts[1], counts[2]});
}

void require_shareable(const std::vector<std::string>& paths, const ReadOptions& options) {
  for (const std::string& path : paths) {
    require(path != "-", Errc::bad_option,
            "standard input cannot be shared by several processes; save it to a file first");
    std::error_code absent;
    const std::filesystem::file_status status = std::filesystem::status(path, absent);
    const bool is_pipe = std::filesystem::exists(status) &&
                         !std::filesystem::is_directory(status) &&
                         !std::filesystem::is_regular_file(status);
    require(!is_pipe, Errc::bad_option,
            "'{}' can be read only once and cannot be shared by several processes; save it to a "
            "file first",
            Input(path));
  }
  if (paths.size() > 1) return;
  const std::unique_ptr<ByteStream> bytes = open_bytes(paths.front(), options.monitor);
  require(bytes->descriptor() >= 0, Errc::bad_option,
          "'{}' is compressed, and one compressed file cannot be shared by several processes; "
          "uncompress it with gunzip, or split it into several files",
          Input(paths.front()));
}

}  // namespace

template <class T>
std::unique_ptr<Source<T>> open_share(const std::vector<std::string>& paths,
                                      const ReadOptions& options, Team& team) {
  if (team.size() == 1) return open_parts<T>(paths, options);
  agree(team, [&] { require_shareable(paths, options); });
  require_same_files(paths, team);
  if (!options.onehot.empty()) return share_of_all<T>(paths, options, team);
  std::vector<SharedFile<T>> files;
  std::unique_ptr<Source<T>> share;
  agree(team, [&] {
    files = open_files<T>(paths, options);
    std::vector<std::unique_ptr<Source<T>>> parts;
    for (SharedFile<T>& file : files) parts.push_back(std::move(file.opened.rows));
    share = concatenated(std::move(parts));
  });
  narrow(files, team);
  // Without missing cells nothing is dropped.
  const Counts counts = options.missing == Missing::error ? Counts() : count(files, team);
  return std::make_unique<Share<T>>(std::move(share), counts);
}

#define MERCER_INSTANTIATE(T)                                                     \
  template std::unique_ptr<Source<T>> open_share(const std::vector<std::string>&, \
                                                 const ReadOptions&, Team&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
