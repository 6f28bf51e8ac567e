#include "data/share.hpp"

#include "core/require.hpp"
#include "core/team.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace mercer {

namespace {

/// Some consecutive rows of another source.
template <class T>
class ShareSource final : public ForwardingSource<T> {
 public:
  struct Counts {
    Index first = 0, end = 0;  // of this rank
    Index dropped = 0, missing = 0;
  };

  ShareSource(std::unique_ptr<Source<T>> source, const Counts& counts)
      : ForwardingSource<T>(std::move(source)), counts_(counts) {}

  Index expected_rows() const override { return counts_.end - counts_.first; }
  Index dropped_rows() const override { return counts_.dropped; }
  Index missing_cells() const override { return counts_.missing; }

  void rewind() override {
    this->source_.rewind();
    at_ = 0;
  }

  std::optional<Block<T>> next() override {
    while (at_ < counts_.end) {
      const auto block = this->source_.next();
      require(block.has_value(), Errc::bad_data,
              "{} has {} rows here and at least {} where they were counted; all ranks need the "
              "same files",
              Input(this->name()), at_, counts_.end);
      const Index n = block->rows.rows(), begin = std::max<Index>(counts_.first - at_, 0),
                  end = std::min(n, counts_.end - at_);
      at_ += n;
      if (begin < end) return part_of(*block, begin, end - begin);
    }
    return std::nullopt;
  }

  std::optional<Block<T>> whole() override {
    const auto all = this->source_.whole();
    if (!all) return std::nullopt;
    require(all->rows.rows() >= counts_.end, Errc::bad_data,
            "{} has {} rows here and at least {} where they were counted; all ranks need the same "
            "files",
            Input(this->name()), all->rows.rows(), counts_.end);
    return part_of(*all, counts_.first, counts_.end - counts_.first);
  }

 private:
  static Block<T> part_of(const Block<T>& block, Index first, Index count) {
    Block<T> part = block;
    part.rows = block.rows.middle(first, count);
    if (!block.weights.empty())
      part.weights =
          block.weights.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    part.first_label += first;
    return part;
  }

  Counts counts_;
  Index at_ = 0;  // rows of the source that were read
};

template <class T>
Index count_all(Source<T>& source) {
  if (const auto all = source.whole()) return all->rows.rows();
  Index rows = 0;
  while (const auto block = source.next()) rows += block->rows.rows();
  return rows;
}

}  // namespace

template <class T>
std::unique_ptr<Source<T>> open_share(const std::vector<std::string>& paths,
                                      const ReadOptions& options, Team& team) {
  std::unique_ptr<Source<T>> source;
  agree(team, [&] {
    for (const std::string& path : paths)
      require(path != "-", Errc::bad_option,
              "standard input cannot be shared by several processes; save it to a file first");
    source = open_parts<T>(paths, options);
    require(source->can_rewind(), Errc::bad_option,
            "{} can be read only once and cannot be shared by several processes; save it to a file "
            "first",
            Input(source->name()));
  });
  std::int64_t counts[3] = {};  // rows, dropped, missing
  on_root(team, [&] {
    counts[0] = count_all(*source);
    counts[1] = source->dropped_rows();
    counts[2] = source->missing_cells();
    source->rewind();
  });
  team.broadcast(0, counts, sizeof counts);
  const SegmentRange mine = segments_of(counts[0], team.rank(), team.size());
  return std::make_unique<ShareSource<T>>(
      std::move(source),
      typename ShareSource<T>::Counts{mine.first, mine.end, counts[1], counts[2]});
}

#define MERCER_INSTANTIATE(T)                                                     \
  template std::unique_ptr<Source<T>> open_share(const std::vector<std::string>&, \
                                                 const ReadOptions&, Team&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
