#include "learn/run/incoming_rows.hpp"

#include "core/require.hpp"
#include "data/finite.hpp"

#include <cmath>

namespace mercer {

bool clean(const Rows<double>& rows, Index first, Index count, int threads) {
  if (rows.sparse()) {
    const auto* offsets = rows.csr().offsets;
    return all_finite(rows.csr().values + offsets[first], offsets[first + count] - offsets[first]);
  }
  if (rows.stride() == rows.cols())
    return all_finite(rows.row(first), count * rows.cols(), threads);
  for (Index i = first; i < first + count; ++i)
    if (!all_finite(rows.row(i), rows.cols())) return false;
  return true;
}

bool missing(const Rows<double>& rows, Index i, std::int64_t number, MissingRow how) {
  const auto& csr = rows.csr();
  const std::int64_t begin = rows.sparse() ? csr.offsets[i] : 0;
  const std::int64_t end = rows.sparse() ? csr.offsets[i + 1] : rows.cols();
  const double* values = rows.sparse() ? csr.values : rows.row(i);
  bool any = false;
  for (std::int64_t e = begin; e < end; ++e) {
    if (std::isfinite(values[e])) continue;
    const std::int64_t column = (rows.sparse() ? csr.columns[e] : e) + 1;
    require(std::isnan(values[e]), Errc::bad_data, "row {}, column {} is {}; remove the row",
            number, column, values[e]);
    require(how == MissingRow::skip, Errc::bad_data,
            "row {}, column {} is missing; fill it in, or skip such rows", number, column);
    any = true;
  }
  return any;
}

void add_rows(const Rows<double>& rows, const double* weights, Vector<double>& sum) {
  for (Index i = 0; i < rows.rows(); ++i) {
    const double weight = weights ? weights[i] : 1;
    if (!rows.sparse()) {
      sum += weight * rows.dense().row(i).transpose();
      continue;
    }
    const auto& csr = rows.csr();
    for (std::int64_t e = csr.offsets[i]; e < csr.offsets[i + 1]; ++e)
      sum[csr.columns[e]] += weight * csr.values[e];
  }
}

}  // namespace mercer
