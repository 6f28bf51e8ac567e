#include <mercer/fit.hpp>

#include "core/require.hpp"
#include "fit/passes.hpp"
#include "fit/standard.hpp"
#include "fit/validate.hpp"
#include "operators/centred.hpp"

#include <mercer/moments.hpp>

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

constexpr Index probe_rows = 1024;

/// Calls use(block, first row) with dense blocks of x − centre; `fill`: missing cells as 0.
template <class T, class Use>
void for_centred_blocks(const Rows<T>& rows, const Vector<double>& centre, bool fill, Use&& use) {
  Matrix<double> x(std::min(probe_rows, rows.rows()), rows.cols());
  for (Index i = 0; i < rows.rows(); i += probe_rows) {
    const Index n = std::min(probe_rows, rows.rows() - i);
    centred_block(rows.middle(i, n), 0, rows.cols(),
                  {.centre = centre.data(), .nan_on_centre = fill}, x.data(), rows.cols());
    use(x.topRows(n), i);
  }
}

Matrix<double> unit_rows(Matrix<double> q) {
  for (Index i = 0; i < q.rows(); ++i) {
    const double norm = q.row(i).norm();
    require(norm > 0 && std::isfinite(norm), Errc::bad_option,
            "direction {} has length {}: it must point somewhere", i + 1, norm);
    q.row(i) /= norm;
  }
  return q;
}

}  // namespace

template <class T>
Vector<double> variance_along(Source<T>& source, const Matrix<double>& directions,
                              const FitOptions& options) {
  validate(options);
  const Index d = source.schema().features, m = directions.rows();
  require(directions.cols() == d, Errc::bad_option,
          "a direction has {} numbers, but the data have {} columns", directions.cols(), d);
  Matrix<double> q = unit_rows(directions);
  Passes<T> passes(source);

  // Projections about a centre, so that a large mean costs no digits; about the mean itself where
  // missing cells or z-scores need it anyway, about the first row otherwise.
  Vector<double> centre = Vector<double>::Zero(d);
  bool centred = !options.center;
  if (changes_rows(options)) {
    const Standard standard = find_standard(passes, options);
    if (options.center) centre = standard.mean;
    centred = true;
    // z-scores are x/s, so their variance along q is that of x along q/s.
    if (standard.scale.size() > 0) q.array().rowwise() /= standard.scale.transpose().array();
  }

  Moments projected(m);
  passes.run("variance", [&](const Rows<T>& rows, const double* weights) {
    if (!centred && !rows.sparse()) {
      Index first = 0;  // that counts
      while (weights && first < rows.rows() && weights[first] == 0) ++first;
      if (first == rows.rows()) return;
      centre = Eigen::Map<const Vector<T>>(rows.row(first), d).template cast<double>();
    }
    centred = true;
    for_centred_blocks(rows, centre, options.missing == Missing::mean,
                       [&](const auto& x, Index first) {
                         const Matrix<double> y = x * q.transpose();
                         projected.add(Rows<double>(y), weights ? weights + first : nullptr, 1);
                       });
  });
  require(passes.weight() > options.ddof, Errc::bad_data,
          "{} has too few rows for a variance with ddof = {}", source.name(), options.ddof);
  const Vector<double> scatter = projected.scatter_diagonal(options.center);
  for (Index i = 0; i < m; ++i)
    require(std::isfinite(scatter[i]), Errc::bad_data,
            "{} holds a NaN, an infinity or numbers too large to square", source.name());
  return scatter / (passes.weight() - options.ddof);
}

template <class T>
Vector<double> variance_along(const Rows<T>& x, const Matrix<double>& directions,
                              const FitOptions& options) {
  return variance_along(*from_memory(x), directions, options);
}

#define MERCER_INSTANTIATE(T)                                                                   \
  template Vector<double> variance_along(Source<T>&, const Matrix<double>&, const FitOptions&); \
  template Vector<double> variance_along(const Rows<T>&, const Matrix<double>&, const FitOptions&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
