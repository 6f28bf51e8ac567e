#include "operators/kernel_matrix.hpp"

#include "core/memory.hpp"
#include "core/monitor.hpp"
#include "core/parallel.hpp"
#include "core/require.hpp"
#include "simd/fixed_point.hpp"
#include "simd/symmetric_product.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <thread>
#include <type_traits>

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

/// Rows of a tile that are made doubles at a time: few enough for the first-level cache.
constexpr Index widened_rows = 8;
constexpr double largest_integer = 2147483647;  // of 32 bits

Index tiles_across(Index n, Index side) { return (n + side - 1) / side; }
Index panels_for(Index vectors) { return (vectors + panel_width - 1) / panel_width; }

/// Sums are kept apart for this many parts of the tiles, and added in order: the result does not
/// depend on the number of threads, nor on which of them took which part. So many threads find
/// work; fewer where there is little of it, or where the sums themselves would be large.
Index part_count(double rows) {
  if (rows <= 4096) return 4;
  return rows > 8192 && rows <= 50'000 ? 16 : 8;
}

}  // namespace

template <class T>
KernelMatrix<T>::KernelMatrix(Tiles<T> tiles, KernelMatrixOptions options)
    : source_(std::move(tiles)), options_(std::move(options)) {
  if constexpr (!std::is_same_v<T, double>) options_.rounded = false;
  const Index n = size(), across = tiles_across(n, side);
  weights_ = options_.weights
                 ? Vector<double>(Eigen::Map<const Vector<double>>(options_.weights, n))
                 : Vector<double>(Vector<double>::Ones(n));
  roots_ = weights_.cwiseSqrt();
  weight_ = weights_.sum();

  for (Index i = 0; i < across; ++i)
    for (Index j = i; j < across; ++j) tiles_.push_back({i, j});
  const Index count = this->tiles();
  const Index parts = std::min<Index>(part_count(static_cast<double>(n)), count);
  for (Index p = 0; p <= parts; ++p) parts_.push_back(count * p / parts);

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
double KernelMatrix<T>::bytes_of_all(double rows, bool rounded) {
  const double across = std::ceil(rows / side);
  return across * (across + 1) / 2 * side * side *
         static_cast<double>(rounded ? sizeof(std::int32_t) : sizeof(T));
}

template <class T>
double KernelMatrix<T>::bytes_of_pass(double rows, double vectors, int threads) {
  const double width = panel_width * (std::ceil(vectors / panel_width) + 1);
  const double parts = static_cast<double>(part_count(rows));
  // Panels in and, a part each, out; one block in double; tiles and their scratch.
  return rows * (width * (1 + parts) * sizeof(double) + 8 * vectors) +
         thread_count(threads) * 4.0 * side * side * sizeof(double);
}

template <class T>
void KernelMatrix<T>::centre_in(Matrix<double>& v) const {
  v.array().colwise() *= roots_.array();
  if (!options_.center) return;
  const Eigen::RowVectorXd sums = v.colwise().sum() / weight_;
  v.noalias() -= weights_ * sums;
}

template <class T>
void KernelMatrix<T>::centre_out(Matrix<double>& y) const {
  if (options_.center) {
    const Eigen::RowVectorXd means = (weights_.transpose() * y) / weight_;
    y.rowwise() -= means;
  }
  y.array().colwise() *= roots_.array();
}

template <class T>
void KernelMatrix<T>::apply(const Matrix<double>& v, Matrix<double>& out) {
  // The first pass takes w along as one more vector: K w gives the mean and the trace.
  Matrix<double> block(size(), v.cols() + (first_ ? 1 : 0));
  block.leftCols(v.cols()) = v;
  if (first_) block.col(v.cols()).setZero();
  centre_in(block);
  if (first_) block.col(v.cols()) = weights_;
  multiply(block, block);
  if (first_) finish_first_pass(block.col(v.cols()));
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
  mean_ = kw / weight_;
  trace_ = weights_.dot(source_.diagonal);
  if (options_.center) trace_ -= weights_.dot(mean_);
  // A = P B P with B = U K U and the projector P = I − uuᵀ/s, and B u = s·U·mean:
  // ‖A‖² = ‖B‖² − 2‖B u‖²/s + (uᵀB u)²/s².
  squares_ = plain_squares_;
  if (options_.center) {
    const double both = weights_.dot(mean_);
    squares_ += both * both - 2 * weight_ * weights_.dot(mean_.cwiseAbs2());
  }
}

/// What a tile adds to ‖U K U‖_F², its mirror image included.
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
  return i == j ? sum : 2 * sum;
}

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

/// Keeps a tile in fixed point and leaves the rounded values in place; false when one was too
/// large.
template <>
bool KernelMatrix<double>::keep_rounded(Index t, double* values) {
  std::int32_t* const kept = static_cast<std::int32_t*>(store_) + t * side * side;
  const auto [row, col] = tiles_[static_cast<std::size_t>(t)];
  const Index count = std::min(side, size() - row * side) * std::min(side, size() - col * side);
  const bool fits = to_fixed_point(values, count, unit_, kept) <= largest_integer;
  from_fixed_point(kept, count, unit_, values);
  return fits;
}

template <>
bool KernelMatrix<float>::keep_rounded(Index, float*) {
  return false;  // a float has no bits to spare: never asked for
}

/// A tile's values, where they are kept or in `scratch`; null when they are kept in fixed point.
template <class T>
const T* KernelMatrix<T>::whole_tile(Index t, T* scratch, bool& overflow) {
  const bool kept = t < kept_ && !exact_;
  if (kept && options_.rounded) {
    if (!first_) return nullptr;
    compute(t, scratch);
    if (!keep_rounded(t, scratch)) overflow = true;
    return scratch;
  }
  T* const out = kept ? static_cast<T*>(store_) + t * side * side : scratch;
  if (!kept || first_) compute(t, out);
  return out;
}

/// `count` of its values from `first` on, as doubles: in `wide` unless they are there as such.
template <>
const double* KernelMatrix<double>::strip(Index t, const double* whole, Index first, Index count,
                                          double* wide) const {
  if (whole) return whole + first;
  from_fixed_point(static_cast<const std::int32_t*>(store_) + t * side * side + first, count, unit_,
                   wide);
  return wide;
}

template <>
const double* KernelMatrix<float>::strip(Index, const float* whole, Index first, Index count,
                                         double* wide) const {
  widen(whole + first, count, wide);
  return wide;
}

template <class T>
void KernelMatrix<T>::multiply(const Matrix<double>& v, Matrix<double>& out) {
  const Index n = size(), b = v.cols(), panels = panels_for(b), panel = n * panel_width;
  Aligned in(panels * panel);
  parallel_ranges(n, options_.threads, 4096, [&](Index begin, Index end, int) {
    for (Index p = 0; p < panels; ++p) {
      const Index first = p * panel_width, count = std::min(panel_width, b - first);
      for (Index i = begin; i < end; ++i) {
        double* const to = in.data() + p * panel + i * panel_width;
        for (Index c = 0; c < count; ++c) to[c] = v(i, first + c);
        std::fill(to + count, to + panel_width, 0.0);
      }
    }
  });

  const auto parts = static_cast<Index>(parts_.size()) - 1;
  Aligned sums(parts * panels * panel);
  std::vector<char> overflows(static_cast<std::size_t>(parts), 0);
  std::vector<double> squares(static_cast<std::size_t>(parts), 0.0);
  std::vector<BadMinor> minors(static_cast<std::size_t>(parts));
  const auto caller = std::this_thread::get_id();
  Reporter report(options_.monitor, "kernel matrix", "tiles", static_cast<double>(tiles()));
  std::atomic<bool> stopped{false};  // by the monitor: a part may take minutes
  parallel_for(parts, options_.threads, [&](Index part) {
    Matrix<T> scratch(side, side);
    Aligned wide(side * widened_rows), zeros(side * panel_width), unused(side * panel_width);
    std::fill_n(zeros.data(), side * panel_width, 0.0);
    std::fill_n(unused.data(), side * panel_width, 0.0);
    double* const y = sums.data() + part * panels * panel;
    bool overflow = false;
    std::fill_n(y, panels * panel, 0.0);
    const Index from = parts_[static_cast<std::size_t>(part)];
    const Index to = parts_[static_cast<std::size_t>(part) + 1];
    for (Index t = from; t < to && !stopped; ++t) {
      const T* const whole = whole_tile(t, scratch.data(), overflow);
      const Index i = tiles_[static_cast<std::size_t>(t)].row * side;
      const Index j = tiles_[static_cast<std::size_t>(t)].col * side;
      const Index rows = std::min(side, n - i), cols = std::min(side, n - j);
      if (first_) squares[static_cast<std::size_t>(part)] += tile_squares(t, whole);
      if (first_ && options_.check) {
        const BadMinor minor =
            worst_minor<T>(Eigen::Map<const Matrix<T>>(whole, rows, cols), source_.diagonal, i, j);
        BadMinor& worst = minors[static_cast<std::size_t>(part)];
        if (minor.smallest < worst.smallest) worst = minor;
      }
      // A strip of the tile stays in the cache for all panels; what is widened, in the first level.
      const bool widened = !whole || !std::is_same_v<T, double>;
      const Index strip_rows = widened ? widened_rows : 32;
      for (Index r = 0; r < rows; r += strip_rows) {
        const Index height = std::min(strip_rows, rows - r);
        const double* const a = strip(t, whole, r * cols, height * cols, wide.data());
        for (Index p = 0; p < panels; ++p) {
          const double* const vp = in.data() + p * panel;
          double* const yp = y + p * panel;
          // A tile on the diagonal counts once: its second use gets nothing to multiply with.
          add_symmetric_product(a, height, cols, cols,
                                i == j ? zeros.data() : vp + (i + r) * panel_width,
                                vp + j * panel_width, yp + (i + r) * panel_width,
                                i == j ? unused.data() : yp + j * panel_width);
        }
      }
      if (std::this_thread::get_id() != caller) continue;
      try {
        report(static_cast<double>((t - from) * parts));
      } catch (...) {
        stopped = true;
        throw;
      }
    }
    overflows[static_cast<std::size_t>(part)] = overflow;
  });
  report(static_cast<double>(tiles()));  // other threads may have taken every part

  parallel_ranges(n, options_.threads, 4096, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i)
      for (Index c = 0; c < b; ++c) {
        const Index at = c / panel_width * panel + i * panel_width + c % panel_width;
        double sum = 0;
        for (Index part = 0; part < parts; ++part) sum += sums.data()[part * panels * panel + at];
        out(i, c) = sum;
      }
  });
  if (!first_) return;
  plain_squares_ = 0;
  for (const double part : squares) plain_squares_ += part;
  for (const BadMinor& minor : minors)
    if (minor.smallest < minor_.smallest) minor_ = minor;
  if (options_.rounded)
    rounding_ = std::ranges::count(overflows, 0) == parts
                    ? 0.5 * unit_ * static_cast<double>(n) * weights_.maxCoeff()
                    : std::numeric_limits<double>::infinity();
}

template class KernelMatrix<float>;
template class KernelMatrix<double>;

}  // namespace mercer
