#include "kernels/differences.hpp"

#include <algorithm>

namespace mercer {

namespace {

constexpr Index strip_rows = 16;  // sparse rows that are spread out at a time

/// Calls term(x, y) for every column where one of two sparse rows has an entry.
template <class Term>
void merged(const CsrView<double>& x, Index i, const CsrView<double>& y, Index j, Term term) {
  auto p = x.offsets[i], q = y.offsets[j];
  const auto p_end = x.offsets[i + 1], q_end = y.offsets[j + 1];
  while (p < p_end && q < q_end) {
    const auto column = std::min(x.columns[p], y.columns[q]);
    const double left = x.columns[p] == column ? x.values[p++] : 0.0;
    const double right = y.columns[q] == column ? y.values[q++] : 0.0;
    term(left, right);
  }
  for (; p < p_end; ++p) term(x.values[p], 0.0);
  for (; q < q_end; ++q) term(0.0, y.values[q]);
}

/// Spreads sparse rows out.
void spread(const Rows<double>& x, double* out) {
  const CsrView<double>& csr = x.csr();
  std::fill_n(out, x.rows() * x.cols(), 0.0);
  for (Index i = 0; i < x.rows(); ++i)
    for (auto e = csr.offsets[i]; e < csr.offsets[i + 1]; ++e)
      out[i * x.cols() + csr.columns[e]] = csr.values[e];
}

void dense_differences(DifferenceSum sum, const Rows<double>& x, const Rows<double>& y,
                       const TileView<double>& out) {
  const Scratch<double> scratch(difference_scratch);
  difference_sums(sum, x.row(0), x.stride(), x.rows(), y.row(0), y.stride(), y.rows(), x.cols(),
                  out.data, out.stride, scratch.data());
}

}  // namespace

void row_differences(DifferenceSum sum, const Rows<double>& x, const Rows<double>& y,
                     const TileView<double>& out) {
  if (x.sparse() && y.sparse()) {
    for (Index i = 0; i < x.rows(); ++i)
      for (Index j = 0; j < y.rows(); ++j) {
        double total = 0;
        merged(x.csr(), i, y.csr(), j,
               [&](double p, double q) { total += difference_term(sum, p, q); });
        out.data[i * out.stride + j] = total;
      }
    return;
  }
  if (!x.sparse() && !y.sparse()) return dense_differences(sum, x, y, out);
  const Rows<double>& sparse = x.sparse() ? x : y;
  const Scratch<double> strip(strip_rows * sparse.cols());
  for (Index first = 0; first < sparse.rows(); first += strip_rows) {
    const Rows<double> part = sparse.middle(first, std::min(strip_rows, sparse.rows() - first));
    spread(part, strip.data());
    const Rows<double> dense(strip.data(), part.rows(), part.cols(), part.cols());
    if (x.sparse())
      dense_differences(sum, dense, y,
                        {out.data + first * out.stride, part.rows(), out.cols, out.stride});
    else dense_differences(sum, x, dense, {out.data + first, out.rows, part.rows(), out.stride});
  }
}

double squared_difference(const Rows<double>& x, Index i, const Rows<double>& y, Index j) {
  double total = 0;
  const auto add = [&](double p, double q) {
    const double difference = p - q;
    total += difference * difference;
  };
  if (x.sparse() && y.sparse()) {
    merged(x.csr(), i, y.csr(), j, add);
  } else if (!x.sparse() && !y.sparse()) {
    for (Index k = 0; k < x.cols(); ++k) add(x.row(i)[k], y.row(j)[k]);
  } else {
    const CsrView<double>& csr = x.sparse() ? x.csr() : y.csr();
    const double* dense = x.sparse() ? y.row(j) : x.row(i);
    const Index row = x.sparse() ? i : j;
    Index next = 0;
    for (auto e = csr.offsets[row]; e < csr.offsets[row + 1]; ++e) {
      for (; next < csr.columns[e]; ++next) add(dense[next], 0.0);
      add(dense[next++], csr.values[e]);
    }
    for (; next < x.cols(); ++next) add(dense[next], 0.0);
  }
  return total;
}

}  // namespace mercer
