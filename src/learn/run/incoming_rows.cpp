#include "learn/run/incoming_rows.hpp"

#include "core/require.hpp"
#include "data/finite.hpp"

#include <cmath>

namespace mercer {

bool clean(const Rows<double>& rows, Index first, Index count, int threads) {
  return all_finite(rows.middle(first, count), threads);
}

bool missing(const Rows<double>& rows, Index i, std::int64_t number, MissingRow how) {
  bool any = false;
  for_not_finite(rows.middle(i, 1), [&](Index, std::int64_t column, double value) {
    require(std::isnan(value), Errc::bad_data, "row {}, column {} is {}; remove the row", number,
            column + 1, value);
    require(how == MissingRow::skip, Errc::bad_data,
            "row {}, column {} is missing; fill it in, or skip such rows", number, column + 1);
    any = true;
  });
  return any;
}

void add_rows(const Rows<double>& rows, const double* weights, Vector<double>& sum,
              Vector<double>& lost) {
  const auto add = [&](Index column, double x) {
    // Knuth's TwoSum.
    const double next = sum[column] + x, moved = next - sum[column];
    lost[column] += (sum[column] - (next - moved)) + (x - moved);
    sum[column] = next;
  };
  for (Index i = 0; i < rows.rows(); ++i) {
    const double weight = weights ? weights[i] : 1;
    const auto& csr = rows.csr();
    if (!rows.sparse())
      for (Index j = 0; j < rows.cols(); ++j) add(j, weight * rows.row(i)[j]);
    else
      for (auto e = csr.offsets[i]; e < csr.offsets[i + 1]; ++e)
        add(csr.columns[e], weight * csr.values[e]);
  }
}

}  // namespace mercer
