#include "kernels/products.hpp"

#include "simd/difference_sums.hpp"

#include <algorithm>

namespace mercer {

namespace {

/// One sparse row against a row that is spread out.
template <class T>
T gathered(const CsrView<T>& csr, Index row, const T* dense) {
  T sum = 0;
  for (auto e = csr.offsets[row]; e < csr.offsets[row + 1]; ++e)
    sum += csr.values[e] * dense[csr.columns[e]];
  return sum;
}

template <class T>
void sparse_products(const Rows<T>& x, const Rows<T>& y, const TileView<T>& out) {
  const CsrView<T>& from = x.csr();
  if (!y.sparse()) {
    for (Index i = 0; i < x.rows(); ++i)
      for (Index j = 0; j < y.rows(); ++j)
        out.data[i * out.stride + j] = gathered(from, i, y.row(j));
    return;
  }
  const Scratch<T> strip(x.cols());
  std::fill_n(strip.data(), x.cols(), T(0));
  for (Index i = 0; i < x.rows(); ++i) {
    for (auto e = from.offsets[i]; e < from.offsets[i + 1]; ++e)
      strip.data()[from.columns[e]] = from.values[e];
    for (Index j = 0; j < y.rows(); ++j)
      out.data[i * out.stride + j] = gathered(y.csr(), j, strip.data());
    for (auto e = from.offsets[i]; e < from.offsets[i + 1]; ++e) strip.data()[from.columns[e]] = 0;
  }
}

}  // namespace

template <class T>
void inner_products(const Rows<T>& x, const Rows<T>& y, const TileView<T>& out) {
  if (x.sparse()) return sparse_products(x, y, out);
  if (y.sparse()) {
    for (Index i = 0; i < x.rows(); ++i)
      for (Index j = 0; j < y.rows(); ++j)
        out.data[i * out.stride + j] = gathered(y.csr(), j, x.row(i));
    return;
  }
  const Scratch<T> scratch(difference_scratch);
  difference_sums(DifferenceSum::inner, x.row(0), x.stride(), x.rows(), y.row(0), y.stride(),
                  y.rows(), x.cols(), out.data, out.stride, scratch.data());
}

double squared_norm(const double* row, Index count) {
  // Eigen's own sums over a row that is not aligned depend on where it begins.
  using Eight = Eigen::Array<double, 8, 1>;
  Eight sums = Eight::Zero();
  Index j = 0;
  for (; j + 8 <= count; j += 8) sums += Eigen::Map<const Eight>(row + j).square();
  for (Index c = 0; j < count; ++j, ++c) sums[c] += row[j] * row[j];
  return sums.sum();
}

Vector<double> squared_norms(const Rows<double>& x) {
  Vector<double> squares(x.rows());
  for (Index i = 0; i < x.rows(); ++i)
    squares[i] = x.sparse() ? squared_norm(x.csr().values + x.csr().offsets[i],
                                           x.csr().offsets[i + 1] - x.csr().offsets[i])
                            : squared_norm(x.row(i), x.cols());
  return squares;
}

template void inner_products(const Rows<float>&, const Rows<float>&, const TileView<float>&);
template void inner_products(const Rows<double>&, const Rows<double>&, const TileView<double>&);

}  // namespace mercer
