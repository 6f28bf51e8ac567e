#include "operators/moments_impl.hpp"

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "operators/centred.hpp"
#include "operators/column_means.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace mercer {

namespace {

/// Rows that are copied at a time where some of weight 0 lie between them.
constexpr Index gathered_rows = 4096;

template <class T>
Vector<double> mean_of(const Rows<T>& rows, const double* weights) {
  ColumnMeans means(rows.cols());
  means.add(rows, weights, 1);
  return means.mean();
}

/// Consecutive rows for one thread: of the open leaf, of radix^level whole leaves, or of a new
/// leaf.
struct Stretch {
  Index first, rows;
  int level;
};

}  // namespace

template <class T>
void Moments::Impl::add(const Rows<T>& given, const double* weights, int threads) {
  rows += given.rows();
  weight.add(weights, given.rows());
  const double* const end = weights ? weights + given.rows() : nullptr;
  // Rows of weight 0 choose no shift.
  if (weights && std::all_of(weights, end, [](double w) { return w == 0; })) return;
  const bool shift_free = given.sparse() && waiting_rows_ == 0 && shift.isZero(0);
  if (given.sparse() && !shifted && waiting_rows_ == 0) shifted = true;  // and stay sparse
  const auto add_all = [&](const auto& some, const double* w) {
    if (shift_free) add_sparse(some, w, threads);
    else add_dense(some, w, threads);
  };
  if (!weights || std::find(weights, end, 0.0) == end) return add_all(given, weights);
  if (given.sparse()) {  // each run of rows that count
    for (Index i = 0; i < given.rows(); ++i) {
      const Index from = i;
      while (i < given.rows() && weights[i] != 0) ++i;
      if (i > from) add_all(given.middle(from, i - from), weights + from);
    }
    return;
  }
  const Index d = leaves.columns;
  Matrix<T> kept(std::min(gathered_rows, given.rows()), d);
  Vector<double> kept_weights(kept.rows());
  Index count = 0;
  for (Index i = 0; i < given.rows(); ++i) {
    if (weights[i] != 0) {
      std::copy_n(given.row(i), d, kept.row(count).data());
      kept_weights[count++] = weights[i];
    }
    if (count == kept.rows() || (i + 1 == given.rows() && count > 0)) {
      add_dense(Rows<T>(kept).middle(0, count), kept_weights.data(), threads);
      count = 0;
    }
  }
}

template <class T>
void Moments::Impl::add_sparse(const Rows<T>& given, const double* weights, int threads) {
  any_sparse_ = true;
  for (Index i = 0; i < given.rows();) {
    if (sparse_rows_ == 0) sparse_.clear(leaves);
    const Index n = std::min(leaves.sparse - sparse_rows_, given.rows() - i);
    add_sparse_rows(given.middle(i, n), weights ? weights + i : nullptr, threads, sparse_);
    sparse_rows_ += n;
    i += n;
    if (sparse_rows_ == leaves.sparse) {
      tree_.push(sparse_);
      sparse_rows_ = 0;
    }
  }
}

template <class T>
void Moments::Impl::wait(const Rows<T>& given, const double* weights) {
  if (given.rows() == 0) return;
  const Index d = leaves.columns, room = shifted ? leaves.block : leaves.start;
  if (waiting_.rows() < room) {
    waiting_.conservativeResize(room, d);
    waiting_weight_.conservativeResize(room);
  }
  if (waiting_rows_ == 0) waiting_weighted_ = false;
  const Vector<double> zero = Vector<double>::Zero(d);
  centred_block(given, 0, d, {.centre = zero.data()}, waiting_.row(waiting_rows_).data(), d);
  for (Index i = 0; i < given.rows(); ++i)
    waiting_weight_[waiting_rows_ + i] = weights ? weights[i] : 1.0;
  waiting_weighted_ = waiting_weighted_ || weights;
  waiting_rows_ += given.rows();
}

template <class T>
void Moments::Impl::add_dense(const Rows<T>& given, const double* weights, int threads) {
  Index done = 0;
  if (!shifted && waiting_rows_ == 0 && given.rows() >= leaves.start) {
    shift = mean_of(given.middle(0, leaves.start), weights);
    shifted = true;
  }
  if (waiting_rows_ > 0 || !shifted) {
    const Index full = shifted ? leaves.block : leaves.start;
    done = std::min(full - waiting_rows_, given.rows());
    wait(given.middle(0, done), weights);
    if (waiting_rows_ < full) return;
    if (!shifted) shift = mean_of(waiting(), waiting_weights());
    shifted = true;
    add_blocks(waiting(), waiting_weights(), threads);
    waiting_rows_ = 0;
  }
  const Index whole = (given.rows() - done) / leaves.block * leaves.block;
  const double* rest = weights ? weights + done : nullptr;
  if (whole > 0) add_blocks(given.middle(done, whole), rest, threads);
  wait(given.middle(done + whole, given.rows() - done - whole), rest ? rest + whole : nullptr);
}

void Moments::Impl::close_leaf() {
  if (open_rows_ < leaves.rows) return;
  tree_.push(open_);
  open_rows_ = 0;
}

template <class T>
void Moments::Impl::add_blocks(const Rows<T>& given, const double* weights, int threads) {
  std::optional<BlasThreads> one;
  if (!leaves.few) one.emplace(1);
  if (!leaves.tiled) return add_leaves(given, weights, threads);
  for (Index i = 0; i < given.rows();) {
    if (open_rows_ == 0) open_.clear(leaves);
    const Index n = std::min(leaves.rows - open_rows_, given.rows() - i);
    add_tiled(leaves, given.middle(i, n), weights ? weights + i : nullptr, how(), threads, open_);
    open_rows_ += n;
    i += n;
    close_leaf();
  }
}

template <class T>
void Moments::Impl::add_leaves(const Rows<T>& given, const double* weights, int threads) {
  // What one thread takes: an aligned group of leaves is a node of the tree. Few columns have short
  // leaves, so that several are worth a thread's while.
  std::vector<Stretch> stretches;
  const Index n = given.rows();
  Index at = open_rows_ > 0 ? std::min(n, leaves.rows - open_rows_) : 0;
  const bool head = at > 0;
  if (head) stretches.push_back({0, at, 0});
  const int workers = thread_count(threads);
  const std::int64_t most =
      leaves.few ? std::max<std::int64_t>(1, (n - at) / leaves.rows / (4 * workers)) : 1;
  std::int64_t leaf = tree_.leaves() + (head && open_rows_ + at == leaves.rows ? 1 : 0);
  while (n - at >= leaves.rows) {
    int level = 0;
    std::int64_t count = 1;
    while (2 * count <= most && leaf % (2 * count) == 0 && n - at >= 2 * count * leaves.rows) {
      count *= 2;
      ++level;
    }
    stretches.push_back({at, count * leaves.rows, level});
    at += count * leaves.rows;
    leaf += count;
  }
  if (at < n) stretches.push_back({at, n - at, 0});

  const auto total = static_cast<Index>(stretches.size());
  // Large sums are kept for as many stretches as there are threads.
  const Index round = leaves.few ? total : std::min<Index>(workers, total);
  const int useful = n * leaves.columns * leaves.columns < 4000000 ? 1 : workers;
  std::vector<LeafSum> sums(static_cast<std::size_t>(round));
  std::vector<LeafRoom> rooms;
  for (Index i = 0; !leaves.few && i < round; ++i) rooms.emplace_back(leaves);
  for (Index first = 0; first < total; first += round) {
    const Index count = std::min(round, total - first);
    if (head && first == 0) std::swap(sums[0], open_);
    parallel_for(count, useful, [&](Index slot) {
      const Stretch& s = stretches[static_cast<std::size_t>(first + slot)];
      LeafSum& sum = sums[static_cast<std::size_t>(slot)];
      LeafRoom own(leaves);
      LeafRoom& room = leaves.few ? own : rooms[static_cast<std::size_t>(slot)];
      const auto add = [&](Index from, Index count_rows) {
        room.add(given.middle(from, count_rows), weights ? weights + from : nullptr, how(), sum);
      };
      if (!(head && first + slot == 0)) sum.clear(leaves);
      if (s.level == 0) return add(s.first, s.rows);
      Segments<LeafSum> group(leaves.radix);
      for (Index i = 0; i < s.rows; i += leaves.rows) {
        if (i > 0) sum.clear(leaves);
        add(s.first + i, leaves.rows);
        group.push(sum);
      }
      sum = group.take();
    });
    for (Index slot = 0; slot < count; ++slot) {
      const Stretch& s = stretches[static_cast<std::size_t>(first + slot)];
      LeafSum& sum = sums[static_cast<std::size_t>(slot)];
      if (s.level > 0) {
        tree_.push(sum, s.level);
        continue;
      }
      open_rows_ += s.rows;
      std::swap(open_, sum);
      close_leaf();
    }
  }
}

Vector<double> Moments::Impl::shift_now() const {
  return shifted || waiting_rows_ == 0 ? shift : mean_of(waiting(), waiting_weights());
}

LeafSum Moments::Impl::total() const {
  LeafSum sum;
  if (open_rows_ > 0) sum = open_;
  else sum.clear(leaves);
  if (waiting_rows_ > 0) {
    std::optional<BlasThreads> one;
    if (!leaves.few) one.emplace(1);
    const Vector<double> about = shift_now();
    LeafRoom(leaves).add(waiting(), waiting_weights(), {about, how().missing}, sum);
  }
  if (sparse_rows_ > 0) sum.merge(sparse_);
  tree_.from_last([&](const LeafSum& later) { sum.merge(later); });
  if (merged.first.size() > 0) sum.merge(merged);
  return sum;
}

/// The longest chain of additions that a product goes through on its way into a total.
double Moments::Impl::additions() const {
  const auto n = static_cast<double>(rows);
  const auto block = static_cast<double>(leaves.block);
  double leaf =
      std::min(n, block) + std::min(std::ceil(n / block), static_cast<double>(leaves.rows) / block);
  if (any_sparse_) leaf = std::max(leaf, std::min(n, static_cast<double>(leaves.sparse)));
  return leaf + static_cast<double>(tree_.levels().size()) * (leaves.radix - 1) + 3;
}

double Moments::Impl::rounding_constant(const LeafSum& total) const {
  // With u = ε/2: factors √w(x−s) are rounded three times, so a product is off by 7u, and then by u
  // for each addition: |δA_ij| ≤ (m + 7)u √(A_ii A_jj) by Cauchy and Schwarz. Likewise
  // |δa_i| ≤ (m + 7)u √(W A_ii). What a aᵀ/W adds to that is (2m + 18)u √A_ii √A_jj ρ where
  // |a_i| ≤ ρ √(W A_ii), ρ ≤ 1; and the last subtraction 1u, as S ≤ A. One percent more covers the
  // terms in u² and that A_ii itself is rounded.
  const double m = additions(), w = weight.value();
  double far = 0;
  for (Index j = 0; j < total.first.size(); ++j)
    if (const double second = w * squares(total, j); second > 0)
      far = std::max(far, std::abs(total.first[j]) / std::sqrt(second));
  return 0.505 * (m + 8 + std::min(far * 1.01, 1.0) * (2 * m + 18));
}

Vector<double> Moments::Impl::rounding_squares(const LeafSum& total, bool centred) const {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  const Index d = leaves.columns;
  Vector<double> out(d);
  const Vector<double> about = shift_now();
  // About the origin, a sᵀ, s aᵀ and W s sᵀ are added: (m + 12)u (√A_ii + √W |s_i|)(…)
  const double constant = centred ? rounding_constant(total) : 0.505 * (additions() + 12);
  const double root = std::sqrt(weight.value());
  for (Index j = 0; j < d; ++j) {
    const double length =
        std::sqrt(squares(total, j)) + (centred ? 0.0 : root * std::abs(about[j]));
    out[j] = constant * eps * length * length;
  }
  if (carried.size() > 0) out += carried;
  return out;
}

#define MERCER_INSTANTIATE(T) template void Moments::Impl::add(const Rows<T>&, const double*, int);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
