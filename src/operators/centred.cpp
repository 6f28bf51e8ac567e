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

}  // namespace

template <class T>
void centred_block(const Rows<T>& rows, Index first, Index count, const Centring& how,
                   double* out) {
  const double* centre = how.centre + first;
  for (Index i = 0; i < rows.rows(); ++i, out += count) {
    if (rows.sparse()) sparse_row(rows.csr(), i, centre, first, count, out);
    else dense_row(rows.row(i) + first, centre, count, out);
    if (how.nan_on_centre)
      for (Index j = 0; j < count; ++j) out[j] = std::isnan(out[j]) ? 0.0 : out[j];
    if (how.weights) {
      const double root = std::sqrt(how.weights[i]);
      for (Index j = 0; j < count; ++j) out[j] *= root;
    }
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
