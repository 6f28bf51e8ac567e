#include "pca/linear/column_moments.hpp"

#include "pca/linear/spectrum_checks.hpp"
#include "pca/row_sums.hpp"

namespace mercer {

namespace {

/// Squares as they were summed, about the shift, by column.
Vector<double> summed_squares(const Moments& moments, bool centred) {
  return moments.rounding(centred).cwiseAbs2() / (moments.rounding_constant() * epsilon<double>);
}

/// Whether the shift has cost digits that another pass gives back.
bool lost_digits(const Moments& moments, bool sparse, const FitOptions& options) {
  if (options.center)
    return moments.cancellation() > (sparse ? sparse_cancellation : dense_cancellation);
  const Vector<double> left = moments.scatter_diagonal(false);
  const Vector<double> summed = summed_squares(moments, false);
  for (Index j = 0; j < left.size(); ++j)
    if (summed[j] > dense_cancellation * left[j]) return true;
  return false;
}

}  // namespace

template <class T>
Moments column_moments(Passes<T>& passes, const FitOptions& options, const Preprocess& at) {
  const Index d = passes.features();
  const bool fill = options.missing == Missing::mean;
  Moments moments = fill ? Moments(at.mean, at.rest) : Moments(d);
  add_rows(passes, "covariance", options, moments);
  require_rows(passes, options);
  require_finite(moments.scatter_diagonal(), passes);
  if (!fill && lost_digits(moments, passes.sparse(), options)) {
    // A known centre: sparse rows are made dense, block by block.
    moments = Moments(options.center ? moments.mean() : Vector<double>(Vector<double>::Zero(d)));
    add_rows(passes, "covariance", options, moments);
    require_finite(moments.scatter_diagonal(), passes);
  }
  require_range(moments.scatter_diagonal(options.center).sum(), passes);
  return moments;
}

template Moments column_moments(Passes<float>&, const FitOptions&, const Preprocess&);
template Moments column_moments(Passes<double>&, const FitOptions&, const Preprocess&);

}  // namespace mercer
