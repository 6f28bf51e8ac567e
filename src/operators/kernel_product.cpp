// Products with the kernel matrix: pairs of segments on threads, and the ring
// of ranks.
#include "core/monitor.hpp"
#include "core/parallel.hpp"
#include "operators/kernel_matrix.hpp"
#include "simd/fixed_point.hpp"
#include "simd/symmetric_product.hpp"

#include <mercer/team_ledger.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

namespace mercer {

namespace {

constexpr std::size_t cache_line = 64;

/// Numbers that begin on a cache line: a panel's row then is one line.
class Aligned {
 public:
  explicit Aligned(Index size)
      : data_(static_cast<double*>(std::aligned_alloc(
            cache_line, (static_cast<std::size_t>(size) * sizeof(double) + cache_line - 1) /
                            cache_line * cache_line))) {
    if (!data_) throw std::bad_alloc();
  }
  ~Aligned() { std::free(data_); }
  Aligned(const Aligned&) = delete;
  Aligned& operator=(const Aligned&) = delete;
  double* data() const { return data_; }

 private:
  double* data_;
};

/// Rows of a tile that are made doubles at a time: few enough for the
/// first-level cache.
constexpr Index widened_rows = 8;

/// The worse of two minors; of equal ones, the one that comes first.
void take_worse(BadMinor& worst, const BadMinor& other) {
  const auto place = [](const BadMinor& m) { return std::pair(m.row, m.col); };
  if (other.smallest < worst.smallest ||
      (other.smallest == worst.smallest && other.smallest < 0 && place(other) < place(worst)))
    worst = other;
}

}  // namespace

/// What a tile adds to ‖U K U‖_F², without its mirror image.
template <class T>
double KernelMatrix<T>::tile_squares(Index t, const T* values) const {
  const Index i = tiles_[static_cast<std::size_t>(t)].row * side;
  const Index j = tiles_[static_cast<std::size_t>(t)].col * side;
  const Index rows = std::min(side, size() - i), cols = std::min(side, size() - j);
  double sum = 0;
  for (Index r = 0; r < rows; ++r) {
    const Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>> row(values + r * cols, cols);
    const double squares =
        options_.weights
            ? (row.template cast<double>().square() * weights_.segment(j, cols).array()).sum()
            : row.template cast<double>().square().sum();
    sum += weights_[i + r] * squares;
  }
  return sum;
}

/// What a thread needs for a pair of segments.
template <class T>
struct KernelMatrix<T>::Room {
  Room(Index segment_rows, Index width, bool fixed_point)
      : panels(width),
        tile(side, side),
        rounded(fixed_point ? static_cast<std::size_t>(side * side) : 0),
        wide(side * widened_rows),
        zeros(side * panel_width),
        unused(side * panel_width),
        own(block_size(segment_rows, width) + 1),
        other(block_size(segment_rows, width) + 1) {
    std::fill_n(zeros.data(), side * panel_width, 0.0);
    std::fill_n(unused.data(), side * panel_width, 0.0);
  }

  Index panels;
  Matrix<T> tile;
  std::vector<std::int32_t> rounded;
  Aligned wide, zeros, unused;
  Aligned own,
      other;  // sums for the rows of the two segments, then one of squares
  bool overflow = false;
  BadMinor minor;
};

/// A product while it is computed.
template <class T>
struct KernelMatrix<T>::Pass {
  Pass(const KernelMatrix& matrix, Index width)
      : panels(width),
        vectors(block_size(matrix.rows_.size(), width)),
        sums(matrix.own_, matrix.segments_.count()),
        report(matrix.options_.monitor, "kernel matrix", "tiles",
               static_cast<double>(matrix.tiles())) {}

  Index panels;
  Aligned vectors;   // this rank's, in panels, segment by segment
  SegmentSums sums;  // for their rows
  Reporter report;
  std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> stopped{false};  // by the monitor
  std::atomic<Index> done{0};        // tiles
  std::mutex mutex{};
  std::vector<std::unique_ptr<Room>> rooms{};  // that no thread uses

  std::unique_ptr<Room> take(Index segment_rows, bool rounded) {
    const std::lock_guard lock(mutex);
    if (rooms.empty()) return std::make_unique<Room>(segment_rows, panels, rounded);
    std::unique_ptr<Room> room = std::move(rooms.back());
    rooms.pop_back();
    return room;
  }
  void put(std::unique_ptr<Room> room) {
    const std::lock_guard lock(mutex);
    rooms.push_back(std::move(room));
  }
};

template <class T>
void KernelMatrix<T>::compute(Index t, T* out) const {
  const Index i = tiles_[static_cast<std::size_t>(t)].row * side;
  const Index j = tiles_[static_cast<std::size_t>(t)].col * side;
  const Index rows = std::min(side, size() - i), cols = std::min(side, size() - j);
  Eigen::Map<Matrix<T>> tile(out, rows, cols);
  source_.fill(i, j, tile);
  if (i == j) {
    tile.template triangularView<Eigen::StrictlyLower>() = tile.transpose();
    tile.diagonal() = source_.diagonal.segment(i, rows).template cast<T>();
  }
}

/// Rounds a tile to fixed point, in `kept`, and leaves the rounded values in
/// place; false when one was too large.
template <class T>
bool KernelMatrix<T>::round_tile(Index t, T* values, std::int32_t* kept) const {
  if constexpr (std::is_same_v<T, double>) {
    const auto [row, col] = tiles_[static_cast<std::size_t>(t)];
    const Index count = std::min(side, size() - row * side) * std::min(side, size() - col * side);
    const bool fits = to_fixed_point(values, count, unit_, kept) <= largest_integer;
    from_fixed_point(kept, count, unit_, values);
    return fits;
  } else {
    return false;  // a float has no bits to spare: never asked for
  }
}

/// A tile's values, where they are kept or in `room`; null when they are kept
/// in fixed point.
template <class T>
const T* KernelMatrix<T>::whole_tile(Index t, Room& room) {
  const bool kept = t < kept_ && !exact_;
  if (options_.rounded && !exact_) {
    if (kept && filled_) return nullptr;
    compute(t, room.tile.data());
    // Those that are not kept are rounded too: which are kept makes no
    // difference.
    std::int32_t* const rounded =
        kept ? static_cast<std::int32_t*>(store_) + t * side * side : room.rounded.data();
    if (!round_tile(t, room.tile.data(), rounded)) room.overflow = true;
    return room.tile.data();
  }
  T* const out = kept ? static_cast<T*>(store_) + t * side * side : room.tile.data();
  if (!kept || !filled_) compute(t, out);
  return out;
}

/// `count` of its values from `first` on, as doubles: in `wide` unless they are
/// there as such.
template <class T>
const double* KernelMatrix<T>::strip(Index t, const T* whole, Index first, Index count,
                                     double* wide) const {
  if constexpr (std::is_same_v<T, double>) {
    if (whole) return whole + first;
    from_fixed_point(static_cast<const std::int32_t*>(store_) + t * side * side + first, count,
                     unit_, wide);
  } else {
    widen(whole + first, count, wide);
  }
  return wide;
}

/// The product of a pair with both vectors, in `room`.
template <class T>
void KernelMatrix<T>::add_pair(const Pair& pair, const double* v_own, const double* v_other,
                               Room& room) {
  const auto [own, other] = pair.segments;
  const Index own_rows = segments_.rows(own), other_rows = segments_.rows(other);
  const Index own_size = block_size(own_rows, room.panels);
  const Index other_size = block_size(other_rows, room.panels);
  std::fill_n(room.own.data(), own_size + 1, 0.0);
  if (own != other) std::fill_n(room.other.data(), other_size + 1, 0.0);
  // Tiles lie above the diagonal: their rows are those of the segment that
  // comes first.
  const bool upper = own <= other;
  const double *v_rows = upper ? v_own : v_other, *v_cols = upper ? v_other : v_own;
  double* const y_rows = upper ? room.own.data() : room.other.data();
  double* const y_cols = own == other || !upper ? room.own.data() : room.other.data();
  const Index row_panel = (upper ? own_rows : other_rows) * panel_width;
  const Index col_panel = (upper ? other_rows : own_rows) * panel_width;
  const Index first_row = segments_.first(std::min(own, other));
  const Index first_col = segments_.first(std::max(own, other));
  double squares = 0;
  for (Index t = pair.first; t < pair.end; ++t) {
    const T* const whole = whole_tile(t, room);
    const Index i = tiles_[static_cast<std::size_t>(t)].row * side;
    const Index j = tiles_[static_cast<std::size_t>(t)].col * side;
    const Index rows = std::min(side, size() - i), cols = std::min(side, size() - j);
    if (first_) squares += (own == other && i != j ? 2 : 1) * tile_squares(t, whole);
    if (first_ && options_.check)
      take_worse(room.minor, worst_minor<T>(Eigen::Map<const Matrix<T>>(whole, rows, cols),
                                            source_.diagonal, i, j));
    // A strip of the tile stays in the cache for all panels; what is widened,
    // in the first level.
    const bool widened = !whole || !std::is_same_v<T, double>;
    const Index strip_rows = widened ? widened_rows : 32;
    for (Index r = 0; r < rows; r += strip_rows) {
      const Index height = std::min(strip_rows, rows - r);
      const double* const a = strip(t, whole, r * cols, height * cols, room.wide.data());
      for (Index p = 0; p < room.panels; ++p) {
        const Index row = p * row_panel + (i - first_row + r) * panel_width;
        const Index col = p * col_panel + (j - first_col) * panel_width;
        // A tile on the diagonal counts once: its second use gets nothing to
        // multiply with.
        add_symmetric_product(a, height, cols, cols, i == j ? room.zeros.data() : v_rows + row,
                              v_cols + col, y_rows + row,
                              i == j ? room.unused.data() : y_cols + col);
      }
    }
  }
  room.own.data()[own_size] = squares;
  if (own != other) room.other.data()[other_size] = squares;
}

/// Pairs of own segments with those of `range`, whose vectors are `others` and
/// whose sums `sums`.
template <class T>
void KernelMatrix<T>::multiply_pairs(const std::vector<Pair>& pairs, const double* others,
                                     SegmentRange range, SegmentSums& sums, Pass& pass) {
  const auto block_of = [&](const double* blocks, SegmentRange of, Index segment) {
    return blocks + block_size(segments_.first(segment) - segments_.first(of.first), pass.panels);
  };
  parallel_for(std::ssize(pairs), options_.threads, [&](Index task) {
    if (pass.stopped) return;
    const Pair& pair = pairs[static_cast<std::size_t>(task)];
    const auto [s, t] = pair.segments;
    std::unique_ptr<Room> room = pass.take(std::min(segments_.each(), size()), options_.rounded);
    add_pair(pair, block_of(pass.vectors.data(), own_, s), block_of(others, range, t), *room);
    const auto numbers = [&](Index at) { return block_size(segments_.rows(at), pass.panels) + 1; };
    pass.sums.add(s, {0, t}, room->own.data(), numbers(s));
    if (s != t) sums.add(t, {0, s}, room->other.data(), numbers(t));
    pass.put(std::move(room));
    pass.done += pair.end - pair.first;
    if (std::this_thread::get_id() != pass.caller) return;
    try {
      pass.report(static_cast<double>(pass.done));
    } catch (...) {
      pass.stopped = true;
      throw;
    }
  });
}

/// The steps of the ring: vectors of other ranks come in, and what was computed
/// for their rows goes back.
template <class T>
void KernelMatrix<T>::meet_others(Pass& pass) {
  const auto bytes = [](Index numbers) {
    return sizeof(double) * static_cast<std::size_t>(numbers);
  };
  const auto numbers = [&](Index at) { return block_size(segments_.rows(at), pass.panels) + 1; };
  for (int h = 1; 2 * h <= team_.size(); ++h) {
    const RingStep step = ring_step(segments_.count(), team_.rank(), team_.size(), h);
    const SegmentRange range = segments_of(segments_.count(), step.from, team_.size());
    const Index mine = block_size(rows_.size(), pass.panels);
    const Index theirs = block_size(segments_.rows_of(range).size(), pass.panels);
    Aligned vectors(theirs);
    const auto exchange = [&](int to, const double* sent, Index count, int from, double* received,
                              Index received_count) {
      const TeamLedger::Entry entry(team_, Purpose::passes);
      exchange_all(team_, to, sent, bytes(count), from, received, bytes(received_count));
    };
    exchange(step.to, pass.vectors.data(), mine, step.from, vectors.data(), theirs);
    SegmentSums sums(range, segments_.count());
    agree(team_, [&] {
      multiply_pairs(steps_[static_cast<std::size_t>(h)], vectors.data(), range, sums, pass);
    });
    // What rank `to` has done in this step for rows of this one comes back, while what was done
    // here goes to its owner: a segment at a time, as all of them would take as much memory again.
    const RingStep back = ring_step(segments_.count(), step.to, team_.size(), h);
    const std::vector<SegmentNode> nodes = pass.sums.nodes(back.own);
    const Index outgoing = step.own.size() > 0 ? step.other.size() : 0;
    const Index incoming = nodes.empty() ? 0 : back.other.size();
    std::vector<double> out, in;
    for (Index at = 0; at < std::max(outgoing, incoming); ++at) {
      const Index s = step.other.first + at, t = back.other.first + at;
      out.clear();
      if (at < outgoing) {
        for (const auto& [node, sum] : sums.of(s)) out.insert(out.end(), sum.begin(), sum.end());
        sums.drop(s);
      }
      in.resize(static_cast<std::size_t>(at < incoming ? std::ssize(nodes) * numbers(t) : 0));
      exchange(step.from, out.data(), std::ssize(out), step.to, in.data(), std::ssize(in));
      if (at >= incoming) continue;
      const double* from = in.data();
      for (const SegmentNode& node : nodes) {
        pass.sums.add(t, node, from, numbers(t));
        from += numbers(t);
      }
    }
  }
}

/// block ← K·block.
template <class T>
void KernelMatrix<T>::multiply(Matrix<double>& block) {
  const Index b = block.cols();
  Pass pass(*this, panels_for(b));
  // Calls move(i, c, place): of entry c of row i in panels of its segment that
  // begin at `from`.
  const auto over = [&](Index segment, auto&& move) {
    const Index first = segments_.first(segment), rows = segments_.rows(segment);
    for (Index p = 0; p < pass.panels; ++p)
      for (Index i = 0; i < rows; ++i)
        for (Index c = 0; c < panel_width; ++c)
          move(first - rows_.first + i, p * panel_width + c, (p * rows + i) * panel_width + c);
  };
  parallel_for(own_.size(), options_.threads, [&](Index at) {
    const Index s = own_.first + at;
    double* const to =
        pass.vectors.data() + block_size(segments_.first(s) - rows_.first, pass.panels);
    over(s, [&](Index i, Index c, Index place) { to[place] = c < b ? block(i, c) : 0.0; });
  });
  agree(team_, [&] { multiply_pairs(steps_[0], pass.vectors.data(), own_, pass.sums, pass); });
  meet_others(pass);
  agree(team_, [&] { pass.report(static_cast<double>(tiles())); });
  parallel_for(own_.size(), options_.threads, [&](Index at) {
    const Index s = own_.first + at;
    const Vector<double>& from = pass.sums.of(s).begin()->second;
    over(s, [&](Index i, Index c, Index place) {
      if (c < b) block(i, c) = from[place];
    });
  });
  most_sums_ = std::max(most_sums_, pass.sums.peak());
  filled_ = filled_ || !exact_;
  if (first_) finish_first_sums(pass);
}

template <class T>
void KernelMatrix<T>::finish_first_sums(const Pass& pass) {
  const auto squares = [&](Index s, double* sum) {
    const Vector<double>& numbers = pass.sums.of(s).begin()->second;
    *sum = numbers[numbers.size() - 1];
  };
  seen_.plain_squares =
      ordered_sum(team_, segments_.count(), 1, sum_segments(own_, 1, own_.size(), 1, squares))[0];
  Matrix<double> worst(1, 4);  // a minor, and whether an entry was too large
  worst.setZero();
  BadMinor mine;
  for (const auto& room : pass.rooms) {
    take_worse(mine, room->minor);
    if (room->overflow) worst(0, 3) = 1;
  }
  worst.leftCols(3) << static_cast<double>(mine.row), static_cast<double>(mine.col), mine.smallest;
  worst = gather_rows(team_, worst);
  from_root(team_, worst);
  for (Index rank = 0; rank < worst.rows(); ++rank)
    take_worse(seen_.bad_minor, {static_cast<Index>(worst(rank, 0)),
                                 static_cast<Index>(worst(rank, 1)), worst(rank, 2)});
  if (options_.rounded)
    seen_.rounding = worst.col(3).maxCoeff() == 0
                         ? 0.5 * unit_ * static_cast<double>(size()) * weights_.maxCoeff()
                         : std::numeric_limits<double>::infinity();
}

template void KernelMatrix<float>::multiply(Matrix<double>&);
template void KernelMatrix<double>::multiply(Matrix<double>&);

}  // namespace mercer
