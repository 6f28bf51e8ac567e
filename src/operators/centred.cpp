#include "operators/centred.hpp"

#include "core/require.hpp"
#include "simd/centre.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

template <class T>
void dense_row(const T* x, const double* __restrict centre, Index count, double* __restrict out) {
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
void centred_block(const Rows<T>& rows, Index first, Index count, const Centring& how, double* out,
                   Index stride) {
  const double* centre = how.centre + first;
  if (how.sums && !rows.sparse() && !how.weights && !how.missing) {
    subtract_and_sum(rows.row(0) + first, rows.stride(), rows.rows(), count, centre, out, stride,
                     how.sums);
    return;
  }
  for (Index i = 0; i < rows.rows(); ++i, out += stride) {
    if (rows.sparse()) sparse_row(rows.csr(), i, centre, first, count, out);
    else dense_row(rows.row(i) + first, centre, count, out);
    if (how.missing)
      for (Index j = 0; j < count; ++j)
        out[j] = std::isnan(out[j]) ? how.missing[first + j] : out[j];
    const double root = how.weights ? std::sqrt(how.weights[i]) : 1.0;
    if (how.weights)
      for (Index j = 0; j < count; ++j) out[j] *= root;
    if (how.sums)
      for (Index j = 0; j < count; ++j) how.sums[j] += root * out[j];
  }
}

void require_squares(const Vector<double>& scatter, const Vector<double>& mean) {
  // A sum of normal squares has all its digits. Where there is none, numbers of this mean cannot
  // differ by one that can be squared.
  constexpr double small = 1e-140, least = 1e-290, least_mean = 1e-124;
  if (!(scatter.maxCoeff() > small)) return;
  for (Index j = 0; j < scatter.size(); ++j) {
    const bool lost =
        scatter[j] > 0 ? scatter[j] < least : mean[j] != 0 && std::abs(mean[j]) < least_mean;
    require(!lost, Errc::bad_data,
            "the numbers of column {} are so small beside those of other columns that their "
            "squares underflow; multiply the column by a constant, which changes no z-score",
            j + 1);
  }
}

double standard_deviation(double scatter, double second_moment, double denominator,
                          double epsilon) {
  return is_constant(scatter, second_moment, epsilon) ? 1.0 : std::sqrt(scatter / denominator);
}

template void centred_block(const Rows<float>&, Index, Index, const Centring&, double*, Index);
template void centred_block(const Rows<double>&, Index, Index, const Centring&, double*, Index);

}  // namespace mercer
