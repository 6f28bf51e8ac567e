#include "kernels/flat.hpp"

#include "core/parallel.hpp"
#include "kernels/evaluate_tile.hpp"
#include "kernels/pick_rows.hpp"
#include "linalg/blas.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

constexpr Index flat_side = 256;

/// c as a row of doubles: the mean, computed relative to the first row, so that it is exact for
/// constant columns of any size.
template <class T>
Matrix<double> mean_row(const Rows<T>& rows) {
  const Eigen::RowVectorXd first = rows.dense().row(0).template cast<double>();
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(rows.cols());
  for (Index i = 1; i < rows.rows(); ++i)
    sum += (rows.dense().row(i).template cast<double>() - first) / static_cast<double>(rows.rows());
  return first + sum;
}

/// ‖K‖_F, estimated from some pairs of rows.
template <class T>
double estimated_norm(const Kernel& kernel, const Rows<T>& rows, double peak) {
  constexpr Index most = 64;
  const PickedRows<T> some(rows, even_sample(rows.rows(), most));
  const auto n = static_cast<double>(rows.rows());
  const Matrix<T> k = kernel.matrix<T>(some.rows(), some.rows(), {.threads = 1});
  const auto count = static_cast<double>(k.rows());
  const double all = k.template cast<double>().squaredNorm(), pairs = count * (count - 1);
  const double others = pairs > 0 ? (all - count * peak * peak) / pairs : 0;
  return std::sqrt(n * peak * peak + n * (n - 1) * std::abs(others));
}

}  // namespace

/// |k(x, y) − k(x, x)| = ½‖φ(x) − φ(y)‖² ≤ 2(f_x + f_y), where f = ½‖φ(x) − φ(c)‖²: with the two
/// terms that are subtracted, three times that.
template <class T>
TileError FlatKernel<T>::error_for(const RowExtent& extent) const {
  TileError out;
  const double relative = kernel_.node()->fallen_error(extent) + 4 * unit_roundoff;
  out.rows = 3.001 * relative * falls_.cwiseAbs();
  out.entries.absolute = std::numeric_limits<double>::min();
  if constexpr (sizeof(T) == sizeof(float)) {
    out.entries.relative = std::numeric_limits<float>::epsilon() / 2;
    out.entries.absolute += std::numeric_limits<float>::denorm_min();
  }
  return out;
}

template <class T>
std::optional<FlatKernel<T>> FlatKernel<T>::of(const Kernel& kernel, const Rows<T>& rows,
                                               bool differences) {
  const std::optional<double> peak = kernel.node()->peak();
  if (!peak || rows.rows() == 0) return {};
  FlatKernel flat(kernel, rows, differences);
  flat.peak_ = *peak;
  flat.falls_.resize(rows.rows());
  const Matrix<double> mean = rows.sparse() ? Matrix<double>() : mean_row(rows);
  const WideRows<T> first(rows.middle(0, 1));
  const Rows<double> centre = rows.sparse() ? first.rows() : Rows<double>(mean);
  const BlasThreads one(1);
  for (Index i = 0; i < rows.rows(); i += flat_side) {
    const WideRows<T> some(rows.middle(i, std::min(flat_side, rows.rows() - i)));
    Matrix<double> falls(some.rows().rows(), 1);
    evaluate_tile<double>(*kernel.node(), some.rows(), centre, falls,
                          {.fallen = true, .differences = differences});
    flat.falls_.segment(i, falls.rows()) = falls;
  }
  RowExtent extent = extent_of(rows);
  extent.differences = differences;
  const TileError plain{value_bound<T>(kernel, extent).error, {}};
  flat.error_ = flat.error_for(extent);
  extent.likely = true;
  flat.likely_error_ = flat.error_for(extent);
  // Sums of N products are rounded too, relative to the norm of the matrix: that of a matrix
  // without negative eigenvalues is at most its trace.
  const Vector<double> ones = Vector<double>::Ones(rows.rows());
  const auto n = static_cast<double>(rows.rows());
  const double sums = (std::min(n, 10 * std::sqrt(n)) + 16) * unit_roundoff;
  const double norm = estimated_norm(kernel, rows, *peak), trace = -2 * flat.falls_.sum();
  if (!(flat.error_.of_matrix(trace, trace, ones) + sums * trace <
        0.5 * (plain.of_matrix(norm, n * *peak, ones) + sums * norm)))
    return {};
  return flat;
}

template <class T>
void FlatKernel<T>::block(const Rows<T>& x, const double* f, const Rows<T>& y, const double* g,
                          Eigen::Ref<Matrix<T>> out) const {
  const BlasThreads one(1);
  const WideRows<T> wide_x(x), wide_y(y);
  Matrix<double> values(x.rows(), y.rows());
  evaluate_tile<double>(*kernel_.node(), wide_x.rows(), wide_y.rows(), values,
                        {.fallen = true, .differences = differences_});
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
