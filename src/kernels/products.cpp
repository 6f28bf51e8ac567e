#include "kernels/products.hpp"

#include "linalg/blas.hpp"

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
  multiply_transposed(x.row(0), x.rows(), x.cols(), x.stride(), y.row(0), y.rows(), y.stride(),
                      out.data, out.stride);
}

template <class T>
Vector<double> squared_norms(const Rows<T>& x) {
  // Short sums in T, which the compiler can do several at a time, added up in double; all in double
  // where squares leave the range of a float.
  constexpr Index chunk = 64;
  Vector<double> squares = Vector<double>::Zero(x.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    const T* const row = x.sparse() ? x.csr().values + x.csr().offsets[i] : x.row(i);
    const Index count = x.sparse() ? x.csr().offsets[i + 1] - x.csr().offsets[i] : x.cols();
    for (Index j = 0; j < count; j += chunk)
      squares[i] += static_cast<double>(
          Eigen::Map<const Vector<T>>(row + j, std::min(chunk, count - j)).squaredNorm());
    if (!(squares[i] > 1e-30 && squares[i] < 1e30))
      squares[i] = Eigen::Map<const Vector<T>>(row, count).template cast<double>().squaredNorm();
  }
  return squares;
}

template void inner_products(const Rows<float>&, const Rows<float>&, const TileView<float>&);
template void inner_products(const Rows<double>&, const Rows<double>&, const TileView<double>&);
template Vector<double> squared_norms(const Rows<float>&);
template Vector<double> squared_norms(const Rows<double>&);

}  // namespace mercer
