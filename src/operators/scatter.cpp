#include "operators/scatter.hpp"

#include "core/parallel.hpp"
#include "core/roundoff.hpp"
#include "core/segments.hpp"
#include "core/team_nodes.hpp"
#include "operators/centred.hpp"
#include "simd/panel_products.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace mercer {

namespace {

/// Rows at a time: their centred copy stays in the cache for both products.
Index strip_rows(Index d) {
  constexpr Index numbers = Index{1} << 15;
  return std::clamp<Index>(numbers / d / tile_rows, 1, 8) * tile_rows;
}
/// Rows whose mean becomes the shift: as many as are cheap to store, in complete strips.
Index shift_rows(Index d) {
  const Index strip = strip_rows(d), wanted = std::clamp<Index>((Index{1} << 19) / d, 1, 256);
  return (wanted + strip - 1) / strip * strip;
}

constexpr int scatter_radix = 16;  // of the tree over leaves

/// Beyond so many columns threads share the columns of a sum; up to there each has its own sum.
constexpr Index wide_columns = 8192;
/// Columns that a thread adds up then.
constexpr Index stripe_columns = 2048;

/// Rows of a leaf: complete strips, and enough work to outweigh the addition of two leaves.
Index scatter_leaf_rows(Index d) {
  const Index strip = strip_rows(d);
  return (1024 + strip - 1) / strip * strip;
}
Index sparse_leaf_rows(Index d) { return std::max<Index>(1024, d / 16); }

/// Strips of wide rows that are centred at once.
Index wide_strips(Index d, int workers) {
  return workers * std::clamp<Index>((Index{1} << 19) / (strip_rows(d) * d), 1, 8);
}

}  // namespace

double scatter_bytes(Index d, Index block, int threads) {
  const int workers = thread_count(threads);
  const Index width = (block + panel_width - 1) / panel_width * panel_width;
  const bool wide = d > wide_columns;
  // Narrow rows: one sum per thread. The open one and two levels of the tree.
  const Index sums = (wide ? 0 : workers) + 3;
  const Index strips = wide ? wide_strips(d, workers) : workers;
  const Index numbers = d * (2 * width + sums * (width + 2)) +
                        d * (shift_rows(d) + strips * strip_rows(d)) +
                        strips * strip_rows(d) * width;
  return static_cast<double>(numbers) * sizeof(double);
}

Index scatter_shift_rows(Index d) { return shift_rows(d); }
Index scatter_leaf(Index d, bool sparse) {
  return sparse ? sparse_leaf_rows(d) : scatter_leaf_rows(d);
}

void add_scatter_sums(TeamTraffic& traffic, const std::vector<std::int64_t>& first, Index d,
                      Index block, bool sparse) {
  const Index numbers = ((block + panel_width - 1) / panel_width * panel_width + 2) * d;
  const Index leaf_rows = scatter_leaf(d, sparse), left = first.back() % leaf_rows;
  add_nodes(traffic, leaves_of(first, leaf_rows), scatter_radix, numbers);
  for (int rank = 1; rank < traffic.size(); ++rank) {
    const bool mine = left > 0 && rank == owner_of(first, first.back() - left);
    traffic.send_numbers(rank, 0, mine ? numbers : 0);
  }
}

/// What a leaf adds up in a pass.
template <class T>
struct ScatterOperator<T>::Sums {
  PanelBuffer products;  // of d entries each
  Vector<double> sum, squares;

  void clear(Index d, Index panels) {
    if (products.empty()) products = PanelBuffer(panels * d);
    products.view().setZero();
    sum.setZero(d);
    squares.setZero(d);
  }
  void merge(const Sums& later) {
    products.view() += later.products.view();
    sum += later.sum;
    squares += later.squares;
  }
};

template <class T>
struct ScatterOperator<T>::Walk {
  PanelBuffer vectors;
  Index panels;
  bool first;  // pass: the mean and the squares are wanted too
  Segments<Sums> tree{scatter_radix};
  Sums open{};  // of the leaf that is not full
  Index open_rows = 0;
  Matrix<double> waiting{};  // rows that wait for a strip to be full
  Vector<double> waiting_weights{};
  Index waiting_rows = 0;
  RunningSum weight{};
};

template <class T>
ScatterOperator<T>::ScatterOperator(Index features, Pass pass, ScatterOptions options)
    : features_(features), pass_(std::move(pass)), options_(std::move(options)) {}

namespace {

/// d×b → panels of d×width each, the last one filled up with zeros.
PanelBuffer panels(const Matrix<double>& v) {
  const Index d = v.rows(), count = (v.cols() + panel_width - 1) / panel_width;
  PanelBuffer out(count * d);
  for (Index p = 0; p < count; ++p) {
    const Index first = p * panel_width, width = std::min(panel_width, v.cols() - first);
    out.view().block(p * d, 0, d, width) = v.middleCols(first, width);
  }
  return out;
}

/// Adds to d×b what lies in panels.
void add_panels(const PanelBuffer& from, Matrix<double>& out) {
  const Index d = out.rows();
  for (Index first = 0; first < out.cols(); first += panel_width) {
    const Index width = std::min(panel_width, out.cols() - first);
    out.middleCols(first, width) += from.view().block(first / panel_width * d, 0, d, width);
  }
}

}  // namespace

template <class T>
void ScatterOperator<T>::choose_shift(Walk& walk) {
  const Index n = walk.waiting_rows;
  options_.shift = Vector<double>::Zero(features_);
  if (!options_.center || n == 0) return;
  // Relative to the first row, so that a far mean loses no accuracy.
  double weight = 0;
  for (Index i = 0; i < n; ++i) {
    options_.shift +=
        walk.waiting_weights[i] * (walk.waiting.row(i) - walk.waiting.row(0)).transpose();
    weight += walk.waiting_weights[i];
  }
  options_.shift = walk.waiting.row(0).transpose() + options_.shift / weight;
}

template <class T>
template <class U>
void ScatterOperator<T>::add_to(const Rows<U>& rows, const double* weights, const Walk& walk,
                                Sums& s) const {
  const Index d = features_, panel = d * panel_width;
  if (!shifted_) {
    const CsrView<U>& csr = rows.csr();
    add_sparse_products<U>(
        {csr.values, csr.columns, csr.offsets, rows.rows(), weights, walk.panels, panel},
        walk.vectors.data(), s.products.data());
    for (Index i = 0; walk.first && i < rows.rows(); ++i) {
      const double w = weights ? weights[i] : 1;
      for (std::int64_t e = csr.offsets[i]; e < csr.offsets[i + 1]; ++e) {
        const double x = static_cast<double>(csr.values[e]);
        s.sum[csr.columns[e]] += w * x;
        s.squares[csr.columns[e]] += w * x * x;
      }
    }
    return;
  }
  const Index strip = strip_rows(d);
  Matrix<double> x = Matrix<double>::Zero(strip, d), y(strip, panel_width);
  for (Index i = 0; i < rows.rows(); i += strip) {
    const Index n = std::min(strip, rows.rows() - i);
    centred_block(rows.middle(i, n), 0, d,
                  {.centre = options_.shift.data(),
                   .weights = weights ? weights + i : nullptr,
                   .missing = options_.missing.size() > 0 ? options_.missing.data() : nullptr,
                   .sums = s.sum.data()},
                  x.data(), d);
    if (n < strip) x.bottomRows(strip - n).setZero();
    if (walk.first)
      for (Index r = 0; r < n; ++r) s.squares += x.row(r).cwiseAbs2().transpose();
    for (Index p = 0; p < walk.panels; ++p) {
      times_panel(x.data(), strip, d, d, walk.vectors.data() + p * panel, y.data());
      add_transposed_times_panel(x.data(), strip, d, d, y.data(), s.products.data() + p * panel);
    }
  }
}

/// Leaves are shared out among threads, a sum each.
template <class T>
template <class U>
void ScatterOperator<T>::add_leaves(const Rows<U>& rows, const double* weights, Index leaf_rows,
                                    Walk& walk) {
  const Index d = features_, n = rows.rows();
  const int workers = thread_count(options_.threads);
  std::vector<Sums> sums(static_cast<std::size_t>(workers));
  for (Index i = 0; i < n;) {
    // The rest of the open leaf, then whole ones, then the beginning of the next.
    std::vector<Index> cuts{i};
    Index in_leaf = walk.open_rows;
    while (cuts.back() < n && static_cast<int>(cuts.size()) <= workers) {
      const Index rest = std::min(n - cuts.back(), leaf_rows - in_leaf);
      cuts.push_back(cuts.back() + rest);
      in_leaf = 0;
    }
    const auto count = static_cast<Index>(cuts.size()) - 1;
    if (walk.open_rows > 0) std::swap(sums[0], walk.open);
    parallel_for(count, n < 256 ? 1 : workers, [&](Index leaf) {
      const auto at = static_cast<std::size_t>(leaf);
      if (leaf > 0 || walk.open_rows == 0) sums[at].clear(d, walk.panels);
      add_to(rows.middle(cuts[at], cuts[at + 1] - cuts[at]), weights ? weights + cuts[at] : nullptr,
             walk, sums[at]);
    });
    for (Index leaf = 0; leaf < count; ++leaf) {
      const auto at = static_cast<std::size_t>(leaf);
      walk.open_rows += cuts[at + 1] - cuts[at];
      if (walk.open_rows == leaf_rows) {
        walk.tree.push(sums[at]);
        walk.open_rows = 0;
      } else {
        std::swap(walk.open, sums[at]);
      }
    }
    i = cuts.back();
  }
}

/// Sums are large: one leaf is open, and threads share first its rows, then its columns.
template <class T>
template <class U>
void ScatterOperator<T>::add_wide_leaves(const Rows<U>& rows, const double* weights, Walk& walk) {
  const Index leaf_rows = scatter_leaf_rows(features_);
  for (Index i = 0; i < rows.rows();) {
    const Index n = std::min(rows.rows() - i, leaf_rows - walk.open_rows);
    add_wide(rows.middle(i, n), weights ? weights + i : nullptr, walk);
    walk.open_rows += n;
    i += n;
    if (walk.open_rows < leaf_rows) return;
    walk.tree.push(walk.open);
    walk.open_rows = 0;
  }
}

template <class T>
template <class U>
void ScatterOperator<T>::add_wide(const Rows<U>& rows, const double* weights, Walk& walk) {
  const Index d = features_, panel = d * panel_width, strip = strip_rows(d);
  const int workers = thread_count(options_.threads);
  if (walk.open_rows == 0) walk.open.clear(d, walk.panels);
  const Index strips = (rows.rows() + strip - 1) / strip;
  const Index most = std::min(strips, wide_strips(d, workers));
  Matrix<double> x(most * strip, d), y(most * strip * walk.panels, panel_width);
  for (Index first = 0; first < strips; first += most) {
    const Index count = std::min(most, strips - first);
    parallel_for(count, workers, [&](Index s) {
      const Index i = (first + s) * strip, n = std::min(strip, rows.rows() - i);
      double* at = x.row(s * strip).data();
      centred_block(rows.middle(i, n), 0, d,
                    {.centre = options_.shift.data(),
                     .weights = weights ? weights + i : nullptr,
                     .missing = options_.missing.size() > 0 ? options_.missing.data() : nullptr},
                    at, d);
      if (n < strip) x.middleRows(s * strip + n, strip - n).setZero();
      for (Index p = 0; p < walk.panels; ++p)
        times_panel(at, strip, d, d, walk.vectors.data() + p * panel,
                    y.row((s * walk.panels + p) * strip).data());
    });
    const Index stripes = (d + stripe_columns - 1) / stripe_columns;
    parallel_for(stripes, workers, [&](Index stripe) {
      const Index j = stripe * stripe_columns, width = std::min(stripe_columns, d - j);
      for (Index s = 0; s < count; ++s) {
        const Index i = (first + s) * strip, n = std::min(strip, rows.rows() - i);
        for (Index r = 0; r < n && walk.first; ++r) {
          const auto cells = x.row(s * strip + r).segment(j, width).transpose();
          const double root = weights ? std::sqrt(weights[i + r]) : 1.0;
          walk.open.sum.segment(j, width) += root * cells;
          walk.open.squares.segment(j, width) += cells.cwiseAbs2();
        }
        for (Index p = 0; p < walk.panels; ++p)
          add_transposed_times_panel(x.row(s * strip).data() + j, strip, width, d,
                                     y.row((s * walk.panels + p) * strip).data(),
                                     walk.open.products.data() + p * panel + j * panel_width);
      }
    });
  }
}

template <class T>
template <class U>
void ScatterOperator<T>::add_strips(const Rows<U>& rows, const double* weights, Walk& walk) {
  if (rows.rows() == 0) return;
  if (features_ > wide_columns) add_wide_leaves(rows, weights, walk);
  else add_leaves(rows, weights, scatter_leaf_rows(features_), walk);
}

/// Keeps rows until there are enough of them.
template <class T>
template <class U>
void ScatterOperator<T>::wait(const Rows<U>& rows, const double* weights, Index room, Walk& walk) {
  const Index d = features_;
  if (rows.rows() == 0) return;
  if (walk.waiting.rows() < room) {
    walk.waiting.conservativeResize(room, d);
    walk.waiting_weights.conservativeResize(room);
  }
  const Vector<double> zero = Vector<double>::Zero(d);
  centred_block(rows, 0, d, {.centre = zero.data()}, walk.waiting.row(walk.waiting_rows).data(), d);
  for (Index i = 0; i < rows.rows(); ++i)
    walk.waiting_weights[walk.waiting_rows + i] = weights ? weights[i] : 1.0;
  walk.waiting_rows += rows.rows();
}

template <class T>
template <class U>
void ScatterOperator<T>::add_dense(const Rows<U>& rows, const double* weights, Walk& walk) {
  const Index strip = strip_rows(features_);
  Index done = 0;
  const bool chosen = options_.shift.size() > 0;
  if (walk.waiting_rows > 0 || !chosen) {
    const Index full = chosen ? strip : shift_rows(features_);
    done = std::min(full - walk.waiting_rows, rows.rows());
    wait(rows.middle(0, done), weights, full, walk);
    if (walk.waiting_rows < full) return;
    if (!chosen) choose_shift(walk);
    add_strips(Rows<double>(walk.waiting).middle(0, full), walk.waiting_weights.data(), walk);
    walk.waiting_rows = 0;
    if (full > strip) walk.waiting.resize(strip, features_);  // no more than that will wait again
  }
  const Index whole = (rows.rows() - done) / strip * strip;
  add_strips(rows.middle(done, whole), weights ? weights + done : nullptr, walk);
  wait(rows.middle(done + whole, rows.rows() - done - whole),
       weights ? weights + done + whole : nullptr, strip, walk);
}

template <class T>
void ScatterOperator<T>::add_sparse(const Rows<T>& rows, const double* weights, Walk& walk) {
  // Sparse rows are multiplied as they are, so `mean` must not add a shift.
  options_.shift = Vector<double>::Zero(features_);
  add_leaves(rows, weights, sparse_leaf_rows(features_), walk);
}

template <class T>
void ScatterOperator<T>::add(const Rows<T>& rows, const double* weights) {
  Walk& walk = *walk_;
  walk.weight.add(weights, rows.rows());
  shifted_ = is_shifted(rows.sparse());
  const auto add_all = [&](const Rows<T>& some, const double* w) {
    if (!shifted_) add_sparse(some, w, walk);
    else add_dense(some, w, walk);
  };
  const double* const end = weights ? weights + rows.rows() : nullptr;
  if (!weights || std::find(weights, end, 0.0) == end) return add_all(rows, weights);
  for (Index i = 0; i < rows.rows(); ++i) {  // each run of rows that count
    const Index from = i;
    while (i < rows.rows() && weights[i] != 0) ++i;
    if (i > from) add_all(rows.middle(from, i - from), weights + from);
  }
}

template <class T>
void ScatterOperator<T>::finish_rows() {
  Walk& walk = *walk_;
  if (options_.shift.size() == 0) choose_shift(walk);
  if (walk.waiting_rows > 0)
    add_strips(Rows<double>(walk.waiting).middle(0, walk.waiting_rows), walk.waiting_weights.data(),
               walk);
  walk.waiting_rows = 0;
}

template <class T>
void ScatterOperator<T>::begin(const Matrix<double>& v) {
  PanelBuffer vectors = options_.scale.size() > 0
                            ? panels(Matrix<double>(v.array().colwise() / options_.scale.array()))
                            : panels(v);
  walk_ = std::make_shared<Walk>(
      Walk{std::move(vectors), (v.cols() + panel_width - 1) / panel_width, first_});
}

template <class T>
void ScatterOperator<T>::begin_at(std::int64_t leaf, bool sparse) {
  walk_->tree.begin_at(leaf);
  shifted_ = is_shifted(sparse);
}

template <class T>
void ScatterOperator<T>::end(const Matrix<double>& v, double weight, Matrix<double>& out) {
  weight_ = weight;
  out.setZero(features_, v.cols());
  if (first_) sum_ = squares_ = Vector<double>::Zero(features_);
  const auto take = [&](const Sums& s) {
    add_panels(s.products, out);
    if (!first_) return;  // the rows are the same in every pass
    sum_ += s.sum;
    squares_ += s.squares;
  };
  if (walk_->open_rows > 0) take(walk_->open);
  walk_->tree.from_last(take);
  walk_.reset();
  const bool scaled = options_.scale.size() > 0;
  // Σ w (x − s)(x − s)ᵀ = S + (a aᵀ)/W, a = Σ w (x − s)
  if (options_.center && weight_ > 0) {
    Matrix<double> divided;
    if (scaled) divided = v.array().colwise() / options_.scale.array();
    out.noalias() -= sum_ / weight_ * (sum_.transpose() * (scaled ? divided : v));
  }
  if (scaled) out.array().colwise() /= options_.scale.array();
  first_ = false;
}

template <class T>
void ScatterOperator<T>::apply(const Matrix<double>& v, Matrix<double>& out) {
  begin(v);
  pass_([&](const Rows<T>& rows, const double* weights) { add(rows, weights); });
  finish_rows();
  end(v, walk_->weight.value(), out);
}

template <class T>
Index ScatterOperator<T>::leaf_rows(bool sparse) const {
  return is_shifted(sparse) ? scatter_leaf_rows(features_) : sparse_leaf_rows(features_);
}

template <class T>
Index ScatterOperator<T>::rows_of_shift(bool sparse) const {
  return is_shifted(sparse) && options_.shift.size() == 0 ? shift_rows(features_) : 0;
}

template <class T>
void ScatterOperator<T>::add_to_shift(const Rows<T>& rows, const double* weights) {
  wait(rows, weights, walk_->waiting_rows + rows.rows(), *walk_);
}

template <class T>
Vector<double> ScatterOperator<T>::shift_of_these() {
  choose_shift(*walk_);
  walk_->waiting_rows = 0;
  return options_.shift;
}

template <class T>
void ScatterOperator<T>::collect(Team& team) {
  const Index d = features_;
  const auto pack = [&](const Sums& sums) {
    const Eigen::Map<Matrix<double>> products = sums.products.view();
    Numbers out(products.data(), products.data() + products.size());
    for (const Vector<double>* sum : {&sums.sum, &sums.squares})
      out.insert(out.end(), sum->data(), sum->data() + d);
    return out;
  };
  const auto unpack = [&](const Numbers& numbers) {
    Sums sums;
    sums.clear(d, walk_->panels);
    Eigen::Map<Matrix<double>> products = sums.products.view();
    const double* from = numbers.data();
    std::copy_n(from, products.size(), products.data());
    std::copy_n(from += products.size(), d, sums.sum.data());
    std::copy_n(from + d, d, sums.squares.data());
    return sums;
  };
  collect_nodes(team, walk_->tree, pack, unpack);
  // The leaf that is not full, of the last rank that has any rows.
  collect_rest(
      team, [&] { return walk_->open_rows > 0 ? pack(walk_->open) : Numbers(); },
      [&](const Numbers& numbers) {
        walk_->open = unpack(numbers);
        walk_->open_rows = 1;
      });
}

template <class T>
Vector<double> ScatterOperator<T>::mean() const {
  return options_.shift + sum_ / weight_;
}

template <class T>
Vector<double> ScatterOperator<T>::mean_rest() const {
  return lost_by_sum(options_.shift, sum_ / weight_);
}

template <class T>
Vector<double> ScatterOperator<T>::diagonal() const {
  Vector<double> diagonal = squares_;
  if (options_.center) diagonal -= sum_.cwiseAbs2() / weight_;
  if (options_.scale.size() > 0) diagonal = diagonal.cwiseQuotient(options_.scale.cwiseAbs2());
  return diagonal;
}

template <class T>
typename ScatterOperator<T>::Summed ScatterOperator<T>::summed() const {
  Vector<double> squares = squares_, distance = sum_.cwiseAbs2() / weight_;
  if (options_.scale.size() > 0) {
    squares.array() /= options_.scale.array().square();
    distance.array() /= options_.scale.array().square();
  }
  return {squares.sum(), options_.center ? distance.sum() : 0.0};
}

template <class T>
bool ScatterOperator<T>::recentre() {
  constexpr double dense_limit = 100, sparse_limit = 1e4;
  if (!options_.center) return false;
  const auto [squares, distance] = summed();
  bool lost = squares > sparse_limit * (squares - distance);
  for (Index j = 0; j < features_ && shifted_; ++j)
    lost = lost || squares_[j] > dense_limit * (squares_[j] - sum_[j] * sum_[j] / weight_);
  if (!lost) return false;
  options_.shift = mean();
  options_.make_dense = true;
  first_ = true;
  return true;
}

template <class T>
double ScatterOperator<T>::depth(double rows) const {
  // Rows are added up eight at a time, sparse ones one by one; the sums of parts meet in the end.
  return static_cast<double>(features_) + (shifted_ ? rows / tile_rows : rows) + 128;
}

template class ScatterOperator<float>;
template class ScatterOperator<double>;

}  // namespace mercer
