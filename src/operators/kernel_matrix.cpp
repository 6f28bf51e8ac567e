#include "operators/kernel_matrix.hpp"

#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "core/require.hpp"
#include "core/team_traffic.hpp"
#include "simd/symmetric_product.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <type_traits>
#include <utility>

namespace mercer {

template <class T>
KernelMatrix<T>::KernelMatrix(Tiles<T> tiles, KernelMatrixOptions options)
    : source_(std::move(tiles)),
      options_(std::move(options)),
      team_(options_.team ? *options_.team : Team::alone()),
      segments_(source_.size),
      own_(segments_of(segments_.count(), team_.rank(), team_.size())),
      rows_(segments_.rows_of(own_)) {
  if constexpr (!std::is_same_v<T, double>) options_.rounded = false;
  const Index n = size();
  weights_ = options_.weights
                 ? Vector<double>(Eigen::Map<const Vector<double>>(options_.weights, n))
                 : Vector<double>(Vector<double>::Ones(n));
  roots_ = weights_.cwiseSqrt();
  weight_ = weights_.sum();

  plan_pairs(pairs_within(own_));
  for (int h = 1; 2 * h <= team_.size(); ++h) {
    const RingStep step = ring_step(segments_.count(), team_.rank(), team_.size(), h);
    plan_pairs(pairs_between(step.own, step.other));
  }
  const Index count = this->tiles();

  const std::size_t tile_bytes =
      (options_.rounded ? sizeof(std::int32_t) : sizeof(T)) * side * side;
  // An entry may exceed the largest diagonal one by rounding.
  unit_ = largest_diagonal() * (1 + 1e-6) / largest_integer;
  kept_ = std::min<Index>(count, static_cast<Index>(options_.memory / tile_bytes));
  if (kept_ > 0) {
    const std::size_t bytes = static_cast<std::size_t>(kept_) * tile_bytes;
    constexpr std::size_t huge_page = std::size_t{1} << 21;
    store_ = std::aligned_alloc(huge_page, (bytes + huge_page - 1) / huge_page * huge_page);
    if (!store_) throw std::bad_alloc();
    advise_huge_pages(store_, bytes);
  }
}

template <class T>
KernelMatrix<T>::~KernelMatrix() {
  std::free(store_);
}

template <class T>
void KernelMatrix<T>::plan_pairs(const std::vector<SegmentPair>& pairs) {
  const auto tiles_of = [&](Index segment) {
    return SegmentRange{segments_.first(segment) / side,
                        (segments_.first(segment + 1) + side - 1) / side};
  };
  steps_.emplace_back();
  for (const SegmentPair& pair : pairs) {
    const Index first = tiles();
    const auto [upper, lower] = std::minmax(pair.own, pair.other);
    const SegmentRange rows = tiles_of(upper), cols = tiles_of(lower);
    for (Index i = rows.first; i < rows.end; ++i)
      for (Index j = std::max(i, cols.first); j < cols.end; ++j) tiles_.push_back({i, j});
    steps_.back().push_back({pair, first, tiles()});
  }
}

template <class T>
double KernelMatrix<T>::bytes_of_all(double rows, bool rounded) {
  const double across = std::ceil(rows / side);
  return across * (across + 1) / 2 * side * side *
         static_cast<double>(rounded ? sizeof(std::int32_t) : sizeof(T));
}

template <class T>
double KernelMatrix<T>::bytes_of_pass(double rows, double vectors, int threads, int rank,
                                      int ranks) {
  const double width = panel_width * (std::ceil(vectors / panel_width) + 1);
  const RowSegments segments(static_cast<Index>(rows));
  const Index count = segments.count();
  const SegmentSums any({0, 0}, count);
  const auto sums_from = [&](SegmentRange from) {
    return static_cast<double>(any.nodes(from).size());
  };
  const auto rows_of = [&](SegmentRange of) {
    return static_cast<double>(segments.rows_of(of).size());
  };
  // Of each row: its vectors, and the sums that are not one yet, of which one is being added.
  const double own = rows_of(segments_of(count, rank, ranks));
  double sums = sums_from(segments_of(count, rank, ranks)), others = 0;
  for (int h = 1; 2 * h <= ranks; ++h) {
    const Index first = segments_of(count, (rank + ranks - h) % ranks, ranks).first;
    const Index end = segments_of(count, (rank + h) % ranks, ranks).end;
    sums = std::max(sums, first < end ? sums_from({first, end})
                                      : sums_from({0, end}) + sums_from({first, count}));
    const RingStep step = ring_step(count, rank, ranks, h);
    const double theirs = rows_of(segments_of(count, step.from, ranks));
    others = std::max(others, theirs + rows_of(step.other) * (1 + sums_from(step.own)));
  }
  // One block in double; tiles and their scratch.
  const double each = std::min(static_cast<double>(segments.each()), rows);
  return (own * (2 + sums) + others) * width * sizeof(double) + own * 8 * vectors +
         thread_count(threads) * (4.5 * side * side + 6 * each * width) * sizeof(double);
}

template <class T>
void KernelMatrix<T>::add_ring(TeamTraffic& traffic, Index rows, Index vectors) {
  const RowSegments segments(rows);
  const Index count = segments.count(), panels = panels_for(vectors);
  const int ranks = traffic.size();
  const SegmentSums any({0, 0}, count);
  const auto bytes = [](Index numbers) { return sizeof(double) * static_cast<double>(numbers); };
  for (int rank = 0; rank < ranks; ++rank)
    for (int h = 1; 2 * h <= ranks; ++h) {
      const RingStep step = ring_step(count, rank, ranks, h);
      const SegmentRange mine = segments.rows_of(segments_of(count, rank, ranks));
      traffic.send_all(rank, step.to, bytes(block_size(mine.size(), panels)));
      const Index nodes = std::ssize(any.nodes(step.own));
      for (Index t = step.other.first; t < step.other.end; ++t)
        traffic.send_all(rank, step.from,
                         bytes(nodes * (block_size(segments.rows(t), panels) + 1)));
    }
}

template <class T>
double KernelMatrix<T>::pairs_of(Index rows, int rank, int ranks) {
  const RowSegments segments(rows);
  const auto count = [&](SegmentRange of) {
    return static_cast<double>(segments.rows_of(of).size());
  };
  const double own = count(segments_of(segments.count(), rank, ranks));
  double pairs = own * own / 2;
  for (int h = 1; 2 * h <= ranks; ++h) {
    const RingStep step = ring_step(segments.count(), rank, ranks, h);
    pairs += count(step.own) * count(step.other);
  }
  return pairs;
}

template <class T>
Eigen::RowVectorXd KernelMatrix<T>::column_sums(const Matrix<double>& v, bool weighted) const {
  const Index b = v.cols();
  const auto of_segment = [&](Index s, double* sum) {
    std::fill_n(sum, b, 0.0);
    for (Index i = segments_.first(s); i < segments_.first(s + 1); ++i) {
      const double* const row = v.row(i - rows_.first).data();
      const double w = weighted ? weights_[i] : 1.0;
      for (Index c = 0; c < b; ++c) sum[c] += w * row[c];
    }
  };
  return ordered_sum(team_, segments_.count(), b,
                     sum_segments(own_, b, 65536 / segments_.each(), options_.threads, of_segment))
      .transpose();
}

template <class T>
void KernelMatrix<T>::centre_in(Matrix<double>& v) const {
  v.array().colwise() *= roots_.segment(rows_.first, rows_.size()).array();
  if (!options_.center) return;
  const Eigen::RowVectorXd sums = column_sums(v, false) / weight_;
  v.noalias() -= weights_.segment(rows_.first, rows_.size()) * sums;
}

template <class T>
void KernelMatrix<T>::centre_out(Matrix<double>& y) const {
  if (options_.center) {
    const Eigen::RowVectorXd means = column_sums(y, true) / weight_;
    y.rowwise() -= means;
  }
  y.array().colwise() *= roots_.segment(rows_.first, rows_.size()).array();
}

template <class T>
void KernelMatrix<T>::apply(const Matrix<double>& v, Matrix<double>& out) {
  // The first pass takes w along as one more vector: K w gives the mean and the
  // trace.
  Matrix<double> block(rows_.size(), v.cols() + (first_ ? 1 : 0));
  block.leftCols(v.cols()) = v;
  if (first_) block.col(v.cols()).setZero();
  centre_in(block);
  if (first_) block.col(v.cols()) = weights_.segment(rows_.first, rows_.size());
  multiply(block);
  if (first_) {
    Matrix<double> kw = gather_rows(team_, block.rightCols(1));
    from_root(team_, kw);
    finish_first_pass(kw.col(0));
  }
  first_ = false;
  out = block.leftCols(v.cols());
  centre_out(out);
}

template <class T>
void KernelMatrix<T>::apply_exact(const Matrix<double>& v, Matrix<double>& out) {
  exact_ = true;
  apply(v, out);
  exact_ = false;
}

template <class T>
void KernelMatrix<T>::finish_first_pass(const Vector<double>& kw) {
  seen_.mean = kw / weight_;
  seen_.trace = weights_.dot(source_.diagonal);
  if (options_.center) seen_.trace -= weights_.dot(seen_.mean);
  // A = P B P with B = U K U and the projector P = I − uuᵀ/s, and B u =
  // s·U·mean: ‖A‖² = ‖B‖² − 2‖B u‖²/s + (uᵀB u)²/s².
  seen_.squares = seen_.plain_squares;
  if (options_.center) {
    const double both = weights_.dot(seen_.mean);
    seen_.squares += both * both - 2 * weight_ * weights_.dot(seen_.mean.cwiseAbs2());
  }
}

template class KernelMatrix<float>;
template class KernelMatrix<double>;

}  // namespace mercer
