#include "operators/centred.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

template <class T>
void dense_row(const T* x, const double* centre, Index count, double* out) {
  for (Index j = 0; j < count; ++j) out[j] = static_cast<double>(x[j]) - centre[j];
}

template <class T>
void sparse_row(const CsrView<T>& csr, Index row, const double* centre, Index first, Index count,
                double* out) {
  for (Index j = 0; j < count; ++j) out[j] = -centre[j];
  const auto* begin = csr.columns + csr.offsets[row];
  const auto* end = csr.columns + csr.offsets[row + 1];
  for (const auto* c = std::lower_bound(begin, end, first); c != end && *c < first + count; ++c)
    out[*c - first] += static_cast<double>(csr.values[c - csr.columns]);
}

/// The usual case, four rows at a time: the sums then cost little beside the copies.
template <class T>
Index plain_rows(const Rows<T>& rows, Index first, Index count, const double* centre, double* sums,
                 double* out) {
  const Index quads = rows.rows() / 4 * 4;
  for (Index i = 0; i < quads; i += 4, out += 4 * count) {
    const T *a = rows.row(i) + first, *b = rows.row(i + 1) + first, *c = rows.row(i + 2) + first,
            *d = rows.row(i + 3) + first;
    for (Index j = 0; j < count; ++j) {
      const double m = centre[j];
      const double p = static_cast<double>(a[j]) - m, q = static_cast<double>(b[j]) - m,
                   r = static_cast<double>(c[j]) - m, s = static_cast<double>(d[j]) - m;
      out[j] = p;
      out[count + j] = q;
      out[2 * count + j] = r;
      out[3 * count + j] = s;
      sums[j] += (p + q) + (r + s);
    }
  }
  return quads;
}

}  // namespace

template <class T>
void centred_block(const Rows<T>& rows, Index first, Index count, const Centring& how,
                   double* out) {
  const double* centre = how.centre + first;
  Index done = 0;
  if (how.sums && !rows.sparse() && !how.weights && !how.nan_on_centre)
    done = plain_rows(rows, first, count, centre, how.sums, out);
  out += done * count;
  for (Index i = done; i < rows.rows(); ++i, out += count) {
    if (rows.sparse()) sparse_row(rows.csr(), i, centre, first, count, out);
    else dense_row(rows.row(i) + first, centre, count, out);
    if (how.nan_on_centre)
      for (Index j = 0; j < count; ++j) out[j] = std::isnan(out[j]) ? 0.0 : out[j];
    const double root = how.weights ? std::sqrt(how.weights[i]) : 1.0;
    if (how.weights)
      for (Index j = 0; j < count; ++j) out[j] *= root;
    if (how.sums)
      for (Index j = 0; j < count; ++j) how.sums[j] += root * out[j];
  }
}

double standard_deviation(double scatter, double second_moment, double denominator,
                          double epsilon) {
  const bool constant = scatter <= 16 * epsilon * epsilon * second_moment;
  return constant ? 1.0 : std::sqrt(scatter / denominator);
}

template void centred_block(const Rows<float>&, Index, Index, const Centring&, double*);
template void centred_block(const Rows<double>&, Index, Index, const Centring&, double*);

}  // namespace mercer
