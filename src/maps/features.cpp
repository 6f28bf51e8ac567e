#include <mercer/features.hpp>

#include "core/parallel.hpp"
#include "core/require.hpp"
#include "maps/finite_features.hpp"
#include "maps/from_text.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {

namespace {

template <class T>
void require_finite_rows(const Rows<T>& x, Index first) {
  for (Index i = 0; i < x.rows(); ++i) {
    const std::int64_t begin = x.sparse() ? x.csr().offsets[i] : 0;
    const std::int64_t end = x.sparse() ? x.csr().offsets[i + 1] : x.cols();
    const T* const values = x.sparse() ? x.csr().values : x.row(i);
    for (std::int64_t e = begin; e < end; ++e)
      require(std::isfinite(values[e]), Errc::bad_data,
              "row {}, column {} is {}; remove the row or fill in a number", first + i + 1,
              (x.sparse() ? x.csr().columns[e] : e) + 1, values[e]);
  }
}

}  // namespace

template <class T>
std::shared_ptr<const Map<T>> parse_map(std::string_view text, Index inputs,
                                        const std::vector<std::string>& names) {
  return map_from_text<T>(text, inputs, names);
}

template <class T>
Matrix<T> map_features(const Map<T>& map, const Rows<T>& x, const FeatureOptions& options) {
  require(x.cols() == map.inputs(), Errc::bad_data, "rows of {} columns, but {} takes {}", x.cols(),
          map.text(), map.inputs());
  require_finite_rows(x, options.first);
  map.require_domain(x, options.first);
  Matrix<T> out(x.rows(), map.features());
  const Index grain = std::max<Index>(1, 100000 / std::max<Index>(1, map.features()));
  parallel_ranges(x.rows(), options.threads, grain, [&](Index begin, Index end, int) {
    map.apply(x.middle(begin, end - begin), out.middleRows(begin, end - begin));
  });
  if (!out.allFinite()) require_finite_features(map, x, options.first, options.names);
  return out;
}

#define MERCER_INSTANTIATE(T)                                                        \
  template std::shared_ptr<const Map<T>> parse_map(std::string_view, Index,          \
                                                   const std::vector<std::string>&); \
  template Matrix<T> map_features(const Map<T>&, const Rows<T>&, const FeatureOptions&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
