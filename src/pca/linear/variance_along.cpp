#include <mercer/fit.hpp>

#include "core/require.hpp"
#include "core/weights.hpp"
#include "operators/centred.hpp"
#include "pca/passes.hpp"
#include "pca/standard.hpp"
#include "pca/validate.hpp"

#include <mercer/moments.hpp>

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

constexpr Index probe_rows = 1024;

/// Calls use(block, first row) with dense blocks of x − centre; `missing`: of missing cells, or
/// null.
template <class T, class Use>
void for_centred_blocks(const Rows<T>& rows, const Vector<double>& centre, const double* missing,
                        Use&& use) {
  Matrix<double> x(std::min(probe_rows, rows.rows()), rows.cols());
  for (Index i = 0; i < rows.rows(); i += probe_rows) {
    const Index n = std::min(probe_rows, rows.rows() - i);
    centred_block(rows.middle(i, n), 0, rows.cols(), {.centre = centre.data(), .missing = missing},
                  x.data(), rows.cols());
    use(x.topRows(n), i);
  }
}

Matrix<double> unit_rows(Matrix<double> q) {
  for (Index i = 0; i < q.rows(); ++i) {
    const double largest = q.row(i).cwiseAbs().maxCoeff();
    require(largest > 0 && std::isfinite(largest), Errc::bad_option,
            "direction {} has length {}: it must be positive and finite", i + 1, largest);
    // First to numbers that can be squared.
    q.row(i) /= largest;
    q.row(i).normalize();
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

  // Projections relative to a centre, so that a large mean loses no accuracy: the mean itself where
  // missing cells or z-scores need it anyway, otherwise the first row of positive weight.
  Vector<double> centre = Vector<double>::Zero(d);
  Vector<double> rest;
  bool centred = !options.center;
  if (changes_rows(options)) {
    const Standard standard = find_standard(passes, options);
    if (options.center) centre = standard.mean;
    rest = standard.rest;
    centred = true;
    // z-scores are x/s, so their variance along q is that of x along q/s.
    if (standard.scale.size() > 0) q.array().rowwise() /= standard.scale.transpose().array();
  }

  const auto project = [&](Moments projected) {
    passes.run("variance", [&](const Rows<T>& rows, const double* weights) {
      for (Index i = 0; i < rows.rows() && !centred && !rows.sparse(); ++i) {
        if (weights && weights[i] == 0) continue;  // at any distance from the others
        centre = Eigen::Map<const Vector<T>>(rows.row(i), d).template cast<double>();
        centred = true;
      }
      for_centred_blocks(rows, centre, options.missing == Missing::mean ? rest.data() : nullptr,
                         [&](const auto& x, Index first) {
                           const Matrix<double> y = x * q.transpose();
                           projected.add(y,
                                         as_weights(weights ? weights + first : nullptr, y.rows()),
                                         {.threads = 1});
                         });
    });
    return projected;
  };
  Moments projected = project(Moments(m));
  require(passes.weight() > options.ddof, Errc::bad_data,
          "{} has too few rows for a variance with `ddof={}`", Input(source.name()), options.ddof);
  Vector<double> scatter = projected.scatter(options.center).diagonal();
  for (Index i = 0; i < m; ++i)
    require(std::isfinite(scatter[i]), Errc::bad_data,
            "{} contains a NaN, an infinity or numbers too large to square", Input(source.name()));
  // The first rows were no guide to the others: once more, about the mean.
  if (options.center && projected.cancellation() > 100) {
    projected = project(Moments(projected.mean()));
    scatter = projected.scatter(true).diagonal();
  }
  const Vector<double> rounding = projected.rounding(options.center);
  for (Index i = 0; i < m; ++i) {
    const double error = rounding[i] * rounding[i];
    require(scatter[i] >= -error, Errc::not_converged,
            "{}: the variance along direction {} came out as {:.3e}, below 0 by more than its "
            "rounding error {:.1e}; this is a bug in Mercer: please report it with the data",
            source.name(), i + 1, scatter[i], error);
  }
  // No variance is negative: what lies below 0 is within the rounding error, and 0 is nearer.
  return scatter.cwiseMax(0) / (passes.weight() - options.ddof);
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
