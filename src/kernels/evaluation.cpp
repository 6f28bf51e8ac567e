#include "kernels/evaluation.hpp"

#include "kernels/differences.hpp"
#include "kernels/formula.hpp"
#include "kernels/products.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

namespace mercer {

namespace {

using Row = Eigen::Matrix<double, 1, Eigen::Dynamic>;

std::atomic<std::uint64_t> pairs_so_far = 0;

std::size_t slot(Ingredient ingredient) { return static_cast<std::size_t>(ingredient); }

Eigen::Map<Matrix<double>, Eigen::Unaligned, Eigen::OuterStride<>> mapped(
    const TileView<double>& tile) {
  return {tile.data, tile.rows, tile.cols, Eigen::OuterStride<>(tile.stride)};
}

/// f(first, count) of each run of equal flags.
template <class F>
void each_run(const std::vector<bool>& flags, F f) {
  for (auto begin = flags.begin(); begin != flags.end();) {
    const auto end = std::find(begin, flags.end(), !*begin);
    f(begin - flags.begin(), end - begin);
    begin = end;
  }
}

TileView<double> some_rows(const TileView<double>& tile, Index first, Index count) {
  return {tile.data + first * tile.stride, count, tile.cols, tile.stride};
}

/// ‖x_i‖, also where its square overflows.
Vector<double> row_lengths(const Rows<double>& x) {
  Vector<double> out = squared_norms(x);
  for (Index i = 0; i < out.size(); ++i) {
    if (out[i] > 1e-280 && out[i] < 1e280) {
      out[i] = std::sqrt(out[i]);
      continue;
    }
    const double* row = x.sparse() ? x.csr().values + x.csr().offsets[i] : x.row(i);
    const Index count = x.sparse() ? x.csr().offsets[i + 1] - x.csr().offsets[i] : x.cols();
    double length = 0;
    for (Index j = 0; j < count; ++j) length = std::hypot(length, row[j]);
    out[i] = length;
  }
  return out;
}

/// x·y becomes cos(x, y), 0 for a row of zeros.
void divide_by_norms(const Rows<double>& x, const Rows<double>& y, const TileView<double>& out) {
  const auto inverse = [](double length) { return length > 0 ? 1 / length : 0.0; };
  const Vector<double> left = row_lengths(x).unaryExpr(inverse),
                       right = row_lengths(y).unaryExpr(inverse);
  // Products of cells may have underflowed where norms are this small.
  constexpr double lost = 1e280;
  const bool small = left.maxCoeff() * right.maxCoeff() > lost;
  auto tile = mapped(out);
  for (Index i = 0; i < out.rows; ++i) {
    tile.row(i).array() *= left[i] * right.transpose().array();
    for (Index j = 0; small && j < out.cols; ++j)
      if (left[i] * right[j] > lost) tile(i, j) = std::numeric_limits<double>::quiet_NaN();
  }
}

/// out = rows − centre; returns ‖out_i‖².
Vector<double> shift(const Rows<double>& rows, const Row& centre, double* out) {
  Eigen::Map<Matrix<double>> moved(out, rows.rows(), rows.cols());
  moved = rows.dense().rowwise() - centre;
  return squared_norms(moved);
}

/// Turns inner products into squared distances, near pairs from their differences.
void distances_from_products(const Rows<double>& x, const Rows<double>& y, const double* x_squares,
                             const Vector<double>& y_squares, double scale,
                             const TileView<double>& out) {
  // Above this share of near pairs, the SIMD loop over a whole row is faster.
  constexpr Index most_single = 8;
  const auto columns = y_squares.transpose().array();
  auto tile = mapped(out);
  std::vector<bool> mostly_near;
  for (Index i = 0; i < out.rows; ++i) {
    auto row = tile.row(i).array();
    row = columns + x_squares[i] - 2 * row;
    // Written so that a pair whose norms overflow counts as near too.
    const auto far = row + scale >= near_share * (columns + x_squares[i]);
    const Index near = out.cols - far.count();
    mostly_near.push_back(near * most_single > out.cols);
    if (near > 0 && !mostly_near.back())
      for (Index j = 0; j < out.cols; ++j)
        if (!far(j)) row[j] = squared_difference(x, i, y, j);
    // z ≥ 0, so 0 is nearer to it than any negative number that rounding made of it.
    row = (row < 0).select(0.0, row);
  }
  each_run(mostly_near, [&](Index first, Index count) {
    if (mostly_near[static_cast<std::size_t>(first)])
      row_differences(DifferenceSum::squared, x.middle(first, count), y,
                      some_rows(out, first, count));
  });
}

}  // namespace

std::uint64_t evaluated_pairs() { return pairs_so_far.load(std::memory_order_relaxed); }

Evaluation::Evaluation(const Rows<double>& x, const Rows<double>& y, const Uses& uses, bool fallen)
    : x_(x), y_(y), uses_(uses), fallen_(fallen) {
  pairs_so_far.fetch_add(static_cast<std::uint64_t>(x.rows() * y.rows()),
                         std::memory_order_relaxed);
  if (fallen_) uses_.scale = 0;  // the smallest distances are the smallest values
  // What is made from another ingredient is one more user of it.
  auto& count = uses_.count;
  if (count[slot(Ingredient::inner)] > 0)
    count[slot(Ingredient::inner)] += count[slot(Ingredient::cosines)];
}

void Evaluation::measure() {
  if (x_squares_.size() > 0) return;
  x_squares_ = squared_norms(x_);
  y_squares_ = squared_norms(y_);
  const auto no_near_pair = [&](double x_square, double y_square) {
    return uses_.scale >= near_share * (x_square + y_square);
  };
  if (uses_.centre || !no_near_pair(y_squares_.maxCoeff(), y_squares_.maxCoeff())) centre();
  const double most = y_squares_.maxCoeff();
  for (Index i = 0; i < x_.rows(); ++i) far_.push_back(no_near_pair(x_squares_[i], most));
}

/// Distances do not change when all rows move; their rounding errors do, with the norms. Rows move
/// when the norms of y become smaller by it; sparse rows would not stay sparse.
void Evaluation::centre() {
  if (x_.sparse() || y_.sparse()) return;
  Row point;
  if (uses_.centre) {
    point = Eigen::Map<const Row>(uses_.centre, x_.cols());
  } else {
    point = y_.dense().colwise().mean();
    if (!(2 * point.squaredNorm() > y_squares_.mean())) return;
  }
  shifted_y_.emplace(y_.rows() * y_.cols());
  const Vector<double> moved = shift(y_, point, shifted_y_->data());
  if (!uses_.centre && !(moved.maxCoeff() <= y_squares_.maxCoeff())) return shifted_y_.reset();
  shifted_x_.emplace(x_.rows() * x_.cols());
  x_squares_ = shift(x_, point, shifted_x_->data());
  y_squares_ = moved;
}

void Evaluation::compute(Ingredient ingredient, const TileView<double>& out) {
  switch (ingredient) {
    case Ingredient::none:
      mapped(out).setZero();
      return;
    case Ingredient::inner:
      inner_products(x_, y_, out);
      return;
    case Ingredient::cosines: {
      compute_base(Ingredient::inner, out);
      divide_by_norms(x_, y_, out);
      return;
    }
    case Ingredient::distances: {
      if (uses_.differences) return row_differences(DifferenceSum::squared, x_, y_, out);
      measure();
      const Index d = x_.cols();
      if (shifted_x_)
        inner_products(Rows<double>(shifted_x_->data(), x_.rows(), d, d),
                       Rows<double>(shifted_y_->data(), y_.rows(), d, d), out);
      else inner_products(x_, y_, out);
      each_run(far_, [&](Index first, Index count) {
        if (!far_[static_cast<std::size_t>(first)])
          distances_from_products(x_.middle(first, count), y_, x_squares_.data() + first,
                                  y_squares_, uses_.scale, some_rows(out, first, count));
      });
      return;
    }
    case Ingredient::absolute:
      row_differences(DifferenceSum::absolute, x_, y_, out);
      return;
    case Ingredient::chi2:
      row_differences(DifferenceSum::chi2, x_, y_, out);
      return;
    case Ingredient::harmonic:
      row_differences(DifferenceSum::harmonic, x_, y_, out);
      return;
  }
}

const double* Evaluation::kept(Ingredient ingredient, Index rows, Index cols) {
  auto& tile = kept_[slot(ingredient)];
  if (!tile) {
    tile.emplace(rows * cols);
    compute(ingredient, {tile->data(), rows, cols, cols});
  }
  return tile->data();
}

void Evaluation::compute_base(Ingredient base, const TileView<double>& out) {
  if (uses_.count[slot(base)] == 0) return compute(base, out);
  mapped(out) =
      Eigen::Map<const Matrix<double>>(kept(base, out.rows, out.cols), out.rows, out.cols);
}

bool Evaluation::apply_to(Ingredient ingredient, const Formula<double>& formula,
                          const TileView<double>& out) {
  Sweep<double> sweep{out.rows, out.cols, out.data, out.stride, out.data, out.stride};
  if (uses_.count[slot(ingredient)] <= 1) {
    compute(ingredient, out);
  } else {
    sweep.in = kept(ingredient, out.rows, out.cols);
    sweep.in_stride = out.cols;
  }
  if (fallen_) return apply_fallen(formula, sweep);
  if (ingredient != Ingredient::distances || far_.empty()) return apply(formula, sweep);
  bool finite = true;
  each_run(far_, [&](Index first, Index count) {
    Sweep<double> part = sweep;
    part.rows = count;
    part.in += first * sweep.in_stride;
    part.out += first * sweep.out_stride;
    if (far_[static_cast<std::size_t>(first)]) {
      part.row_squares = x_squares_.data() + first;
      part.column_squares = y_squares_.data();
    }
    finite = apply(formula, part) && finite;
  });
  return finite;
}

Vector<double> diagonal_ingredient(Ingredient ingredient, const Rows<double>& x) {
  if (ingredient == Ingredient::inner) return squared_norms(x);
  if (ingredient == Ingredient::cosines)
    return row_lengths(x).unaryExpr([](double length) { return length > 0 ? 1.0 : 0.0; });
  Vector<double> values = Vector<double>::Zero(x.rows());
  if (ingredient == Ingredient::harmonic)  // Σ 2xx/(x+x) = Σ x
    for (Index i = 0; i < x.rows(); ++i) {
      const double* row = x.sparse() ? x.csr().values + x.csr().offsets[i] : x.row(i);
      const Index count = x.sparse() ? x.csr().offsets[i + 1] - x.csr().offsets[i] : x.cols();
      values[i] = std::accumulate(row, row + count, 0.0);
    }
  return values;
}

}  // namespace mercer
