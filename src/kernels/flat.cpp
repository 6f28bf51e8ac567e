#include "kernels/flat.hpp"

#include "core/parallel.hpp"
#include "kernels/evaluate_tile.hpp"
#include "kernels/pick_rows.hpp"
#include "linalg/blas.hpp"

#include <algorithm>
#include <limits>

namespace mercer {

namespace {

constexpr Index flat_side = 256;

/// c as a row of doubles.
template <class T>
Matrix<double> mean_row(const Rows<T>& rows) {
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(rows.cols());
  for (Index i = 0; i < rows.rows(); ++i)
    sum += rows.dense().row(i).template cast<double>() / static_cast<double>(rows.rows());
  return sum;
}

}  // namespace

template <class T>
std::optional<FlatKernel<T>> FlatKernel<T>::of(const Kernel& kernel, const Rows<T>& rows) {
  const std::optional<double> peak = kernel.node()->peak();
  if (!peak || rows.rows() == 0) return {};
  FlatKernel flat(kernel, rows);
  flat.peak_ = *peak;
  flat.falls_.resize(rows.rows());
  const Matrix<double> mean = rows.sparse() ? Matrix<double>() : mean_row(rows);
  const WideRows<T> first(rows.middle(0, 1));
  const Rows<double> centre = rows.sparse() ? first.rows() : Rows<double>(mean);
  const BlasThreads one(1);
  for (Index i = 0; i < rows.rows(); i += flat_side) {
    const WideRows<T> some(rows.middle(i, std::min(flat_side, rows.rows() - i)));
    Matrix<double> falls(some.rows().rows(), 1);
    evaluate_tile<double>(*kernel.node(), some.rows(), centre, falls, true);
    flat.falls_.segment(i, falls.rows()) = falls;
  }
  // ½‖φ(x) − φ(c)‖² ≤ fall, so |k(x, y) − k(x, x)| ≤ 4·fall: three terms of 6·fall together.
  const double fall = -flat.falls_.minCoeff();
  const double relative = kernel.node()->fallen_error(extent_of(rows)) + 4 * unit_roundoff;
  flat.error_.absolute = 6.001 * fall * relative + std::numeric_limits<double>::min();
  if constexpr (sizeof(T) == sizeof(float)) {
    flat.error_.relative = std::numeric_limits<float>::epsilon() / 2;
    flat.error_.absolute += std::numeric_limits<float>::denorm_min();
  }
  const EntryError plain = entry_error(kernel, rows);
  const double largest = 2 * fall;  // |k_c(x, y)|² ≤ k_c(x, x) k_c(y, y)
  if (!(flat.error_.absolute + flat.error_.relative * largest <
        plain.absolute + (plain.relative + plain.diagonal) * *peak * 0.5))
    return {};
  return flat;
}

template <class T>
void FlatKernel<T>::block(const Rows<T>& x, const double* f, const Rows<T>& y, const double* g,
                          Eigen::Ref<Matrix<T>> out) const {
  const BlasThreads one(1);
  const WideRows<T> wide_x(x), wide_y(y);
  Matrix<double> values(x.rows(), y.rows());
  evaluate_tile<double>(*kernel_.node(), wide_x.rows(), wide_y.rows(), values, true);
  for (Index i = 0; i < values.rows(); ++i)
    for (Index j = 0; j < values.cols(); ++j)
      out(i, j) = static_cast<T>(values(i, j) - (f[i] + g[j]));
}

template <class T>
void FlatKernel<T>::tile(Index i, Index j, Eigen::Ref<Matrix<T>> out) const {
  block(rows_.middle(i, out.rows()), falls_.data() + i, rows_.middle(j, out.cols()),
        falls_.data() + j, out);
}

template <class T>
Matrix<T> FlatKernel<T>::columns(const std::vector<Index>& chosen, int threads) const {
  const PickedRows<T> some(rows_, chosen);
  const auto count = static_cast<Index>(chosen.size());
  Vector<double> falls(count);
  for (Index c = 0; c < count; ++c) falls[c] = falls_[chosen[static_cast<std::size_t>(c)]];
  Matrix<T> out(rows_.rows(), count);
  parallel_for((rows_.rows() + flat_side - 1) / flat_side, threads, [&](Index t) {
    const Index i = t * flat_side, n = std::min(flat_side, rows_.rows() - i);
    block(rows_.middle(i, n), falls_.data() + i, some.rows(), falls.data(), out.middleRows(i, n));
  });
  return out;
}

template class FlatKernel<float>;
template class FlatKernel<double>;

}  // namespace mercer
