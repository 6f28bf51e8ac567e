#include "kernels/evaluation.hpp"

#include "kernels/differences.hpp"
#include "kernels/formula.hpp"
#include "kernels/products.hpp"

#include <atomic>
#include <cmath>

namespace mercer {

namespace {

using Row = Eigen::Matrix<double, 1, Eigen::Dynamic>;

std::atomic<std::uint64_t> pairs_so_far = 0;

std::size_t slot(Ingredient ingredient) { return static_cast<std::size_t>(ingredient); }

Eigen::Map<Matrix<double>, Eigen::Unaligned, Eigen::OuterStride<>> mapped(
    const TileView<double>& tile) {
  return {tile.data, tile.rows, tile.cols, Eigen::OuterStride<>(tile.stride)};
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
    out[i] = Eigen::Map<const Vector<double>>(row, count).stableNorm();
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
  return moved.rowwise().squaredNorm();
}

/// Turns inner products into squared distances, near pairs from their differences.
void distances_from_products(const Rows<double>& x, const Rows<double>& y,
                             const Vector<double>& x_squares, const Vector<double>& y_squares,
                             double scale, const TileView<double>& out) {
  // Above this share of near pairs, the SIMD loop over all pairs is faster than one pair at a time.
  constexpr Index most_single = 8;
  const auto columns = y_squares.transpose().array();
  auto tile = mapped(out);
  // Written so that a pair whose norms overflow counts as near too.
  const auto far = [&](Index i, Index j) {
    return tile(i, j) + scale >= near_share * (x_squares[i] + y_squares[j]);
  };
  Index near = 0;
  for (Index i = 0; i < out.rows; ++i) {
    auto row = tile.row(i).array();
    row = columns + x_squares[i] - 2 * row;
    near += out.cols - (row + scale >= near_share * (columns + x_squares[i])).count();
    // z ≥ 0, so 0 is nearer to it than any negative number that rounding made of it.
    row = (row < 0).select(0.0, row);
  }
  if (near * most_single > out.rows * out.cols)
    return row_differences(DifferenceSum::squared, x, y, out);
  for (Index i = 0; near > 0 && i < out.rows; ++i)
    for (Index j = 0; j < out.cols; ++j)
      if (!far(i, j)) {
        tile(i, j) = squared_difference(x, i, y, j);
        --near;
      }
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

/// Whether some pair of the tile may be near, by the largest norms of all its rows.
bool Evaluation::near_pairs_possible() const {
  return !(uses_.scale >= near_share * (x_squares_.maxCoeff() + y_squares_.maxCoeff()));
}

void Evaluation::measure() {
  if (x_squares_.size() > 0) return;
  x_squares_ = squared_norms(x_);
  y_squares_ = squared_norms(y_);
  from_products_ = !uses_.centre && !near_pairs_possible();
  if (from_products_) return;
  centre();
  from_products_ = !near_pairs_possible();
}

/// Distances do not change when all rows move; their rounding errors do, with the norms. Rows move
/// when all norms of the tile become smaller by it; sparse rows would not stay sparse.
void Evaluation::centre() {
  if (x_.sparse() || y_.sparse()) return;
  if (uses_.centre) return move_to(Eigen::Map<const Row>(uses_.centre, x_.cols()), true);
  const Row middle = y_.dense().colwise().mean();
  if (2 * middle.squaredNorm() > y_squares_.mean()) move_to(middle, false);
}

void Evaluation::move_to(const Eigen::Ref<const Row>& point, bool always) {
  shifted_x_.emplace(x_.rows() * x_.cols());
  shifted_y_.emplace(y_.rows() * y_.cols());
  const Vector<double> x = shift(x_, point, shifted_x_->data()),
                       y = shift(y_, point, shifted_y_->data());
  if (always || (x.maxCoeff() <= x_squares_.maxCoeff() && y.maxCoeff() <= y_squares_.maxCoeff())) {
    x_squares_ = x;
    y_squares_ = y;
  } else {
    shifted_x_.reset();
    shifted_y_.reset();
  }
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
      if (!from_products_)
        distances_from_products(x_, y_, x_squares_, y_squares_, uses_.scale, out);
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
  if (ingredient == Ingredient::distances && from_products_) {
    sweep.row_squares = x_squares_.data();
    sweep.column_squares = y_squares_.data();
  }
  return apply(formula, sweep);
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
      values[i] = Eigen::Map<const Vector<double>>(row, count).sum();
    }
  return values;
}

}  // namespace mercer
