#include "kernels/evaluation.hpp"

#include "kernels/differences.hpp"
#include "kernels/products.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

std::size_t slot(Ingredient ingredient) { return static_cast<std::size_t>(ingredient); }

template <class T>
using Strided = Eigen::Map<Matrix<T>, Eigen::Unaligned, Eigen::OuterStride<>>;

template <class T>
Strided<T> mapped(const TileView<T>& tile) {
  return {tile.data, tile.rows, tile.cols, Eigen::OuterStride<>(tile.stride)};
}

/// 1/‖x_i‖, 0 for a row of zeros.
template <class T>
Vector<T> inverse_norms(const Rows<T>& x) {
  return squared_norms(x)
      .unaryExpr([](double s) { return s > 0 ? 1 / std::sqrt(s) : 0; })
      .template cast<T>();
}

/// out = rows − centre; squares[i] = ‖out_i‖².
template <class T>
void shift(const Rows<T>& rows, const Eigen::Matrix<T, 1, Eigen::Dynamic>& centre, T* out,
           T* squares) {
  for (Index i = 0; i < rows.rows(); ++i) {
    Eigen::Map<Eigen::Matrix<T, 1, Eigen::Dynamic>> row(out + i * rows.cols(), rows.cols());
    row = Eigen::Map<const Eigen::Matrix<T, 1, Eigen::Dynamic>>(rows.row(i), rows.cols()) - centre;
    squares[i] = row.squaredNorm();
  }
}

/// Whether most of the norms of these rows is their mean, from a few of them.
template <class T>
bool mean_outweighs_spread(const Rows<T>& rows) {
  constexpr Index most = 8;
  const Index count = std::min(most, rows.rows());
  Eigen::Matrix<T, 1, Eigen::Dynamic> sum = Eigen::Matrix<T, 1, Eigen::Dynamic>::Zero(rows.cols());
  double squares = 0;
  for (Index i = 0; i < count; ++i) {
    const auto row = rows.dense().row(i * rows.rows() / count);
    sum += row;
    squares += static_cast<double>(row.squaredNorm());
  }
  // ‖Σx‖²/n ≤ Σ‖x‖², with equality when all rows are the mean.
  return static_cast<double>(sum.squaredNorm()) / static_cast<double>(count) > 0.75 * squares;
}

/// Turns inner products into squared distances. Where rows are so near that the subtraction
/// leaves few digits, and a root would halve those, the differences are squared instead.
template <class T>
void near_pairs_exactly(const Rows<T>& x, const Rows<T>& y, const T* x_squares, const T* y_squares,
                        const TileView<T>& out) {
  constexpr T near = T(1e-3);
  const Eigen::Map<const Eigen::Array<T, 1, Eigen::Dynamic>> columns(y_squares, out.cols);
  auto tile = mapped(out);
  for (Index i = 0; i < out.rows; ++i) {
    auto row = tile.row(i).array();
    row = (columns + x_squares[i] - 2 * row).max(T(0));
    if ((row - near * (columns + x_squares[i])).minCoeff() > 0) continue;
    for (Index j = 0; j < out.cols; ++j)
      if (row[j] <= near * (x_squares[i] + y_squares[j])) row[j] = squared_difference(x, i, y, j);
  }
}

}  // namespace

template <class T>
Evaluation<T>::Evaluation(const Rows<T>& x, const Rows<T>& y, const Uses& uses)
    : x_(x), y_(y), uses_(uses) {
  // What is made from another ingredient is one more user of it.
  if (uses_[slot(Ingredient::inner)] > 0)
    uses_[slot(Ingredient::inner)] += uses_[slot(Ingredient::cosines)];
  if (uses_[slot(Ingredient::distances)] > 0)
    uses_[slot(Ingredient::distances)] += uses_[slot(Ingredient::exact)];
}

template <class T>
void Evaluation<T>::centre() {
  if (squares_) return;
  squares_.emplace(x_.rows() + y_.rows());
  T *const x_squares = squares_->data(), *const y_squares = x_squares + x_.rows();
  if (x_.sparse() || y_.sparse() || !mean_outweighs_spread(y_)) {
    // Shifted rows would not be sparse; and where the spread is as large as the mean, shifting
    // wins no digits.
    Eigen::Map<Vector<T>>(x_squares, x_.rows()) = squared_norms(x_).template cast<T>();
    Eigen::Map<Vector<T>>(y_squares, y_.rows()) = squared_norms(y_).template cast<T>();
    return;
  }
  // Distances do not change when all rows move; their rounding errors do, with the norms.
  const Eigen::Matrix<T, 1, Eigen::Dynamic> middle = y_.dense().colwise().mean();
  shifted_x_.emplace(x_.rows() * x_.cols());
  shifted_y_.emplace(y_.rows() * y_.cols());
  shift(x_, middle, shifted_x_->data(), x_squares);
  shift(y_, middle, shifted_y_->data(), y_squares);
}

template <class T>
void Evaluation<T>::compute(Ingredient ingredient, const TileView<T>& out) {
  switch (ingredient) {
    case Ingredient::none:
      mapped(out).setZero();
      return;
    case Ingredient::inner:
      inner_products(x_, y_, out);
      return;
    case Ingredient::cosines: {
      compute_base(Ingredient::inner, out);
      const Vector<T> left = inverse_norms(x_), right = inverse_norms(y_);
      auto tile = mapped(out);
      for (Index i = 0; i < out.rows; ++i)
        tile.row(i).array() *= left[i] * right.transpose().array();
      return;
    }
    case Ingredient::distances: {
      centre();
      const Index d = x_.cols();
      if (shifted_x_)
        inner_products(Rows<T>(shifted_x_->data(), x_.rows(), d, d),
                       Rows<T>(shifted_y_->data(), y_.rows(), d, d), out);
      else inner_products(x_, y_, out);
      return;
    }
    case Ingredient::exact:
      compute_base(Ingredient::distances, out);
      near_pairs_exactly(x_, y_, squares_->data(), squares_->data() + x_.rows(), out);
      return;
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

template <class T>
const T* Evaluation<T>::kept(Ingredient ingredient, Index rows, Index cols) {
  auto& tile = kept_[slot(ingredient)];
  if (!tile) {
    tile.emplace(rows * cols);
    compute(ingredient, {tile->data(), rows, cols, cols});
  }
  return tile->data();
}

template <class T>
void Evaluation<T>::compute_base(Ingredient base, const TileView<T>& out) {
  if (uses_[slot(base)] == 0) return compute(base, out);
  mapped(out) = Eigen::Map<const Matrix<T>>(kept(base, out.rows, out.cols), out.rows, out.cols);
}

template <class T>
bool Evaluation<T>::apply_to(Ingredient ingredient, const Formula<T>& formula,
                             const TileView<T>& out) {
  Sweep<T> sweep{out.rows, out.cols, out.data, out.stride, out.data, out.stride};
  if (uses_[slot(ingredient)] <= 1) {
    compute(ingredient, out);
  } else {
    sweep.in = kept(ingredient, out.rows, out.cols);
    sweep.in_stride = out.cols;
  }
  if (ingredient == Ingredient::distances) {
    sweep.row_squares = squares_->data();
    sweep.column_squares = squares_->data() + out.rows;
  }
  return apply(formula, sweep);
}

template <class T>
Vector<T> diagonal_ingredient(Ingredient ingredient, const Rows<T>& x) {
  if (ingredient == Ingredient::inner) return squared_norms(x).template cast<T>();
  if (ingredient == Ingredient::cosines)
    return squared_norms(x)
        .unaryExpr([](double s) { return s > 0 ? 1.0 : 0.0; })
        .template cast<T>();
  Vector<T> values = Vector<T>::Zero(x.rows());
  if (ingredient == Ingredient::harmonic)  // Σ 2xx/(x+x) = Σ x
    for (Index i = 0; i < x.rows(); ++i) {
      const T* row = x.sparse() ? x.csr().values + x.csr().offsets[i] : x.row(i);
      const Index count = x.sparse() ? x.csr().offsets[i + 1] - x.csr().offsets[i] : x.cols();
      values[i] = Eigen::Map<const Vector<T>>(row, count).sum();
    }
  return values;
}

template class Evaluation<float>;
template class Evaluation<double>;
template Vector<float> diagonal_ingredient(Ingredient, const Rows<float>&);
template Vector<double> diagonal_ingredient(Ingredient, const Rows<double>&);

}  // namespace mercer
