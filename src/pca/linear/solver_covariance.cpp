// N ≫ d: eigenpairs of the d×d scatter matrix, from one pass; another pass about the mean when the
// first rows were no guide to it, and one more (QR) when the smallest eigenvalue that is kept is
// so small that squaring the data has cost it its digits.
#include "core/weights.hpp"
#include "operators/column_means.hpp"
#include "pca/linear/solver_row.hpp"
#include "pca/linear/spectrum_checks.hpp"
#include "pca/linear/triangular_factor.hpp"
#include "pca/method_cost.hpp"
#include "pca/standard.hpp"

namespace mercer {

namespace {

/// Centring after the fact may cost as many digits and no more: in dense rows, which another pass
/// gives back, and in sparse ones, which that pass makes dense.
constexpr double dense_cancellation = 100, sparse_cancellation = 1e4;

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

template <class T>
Spectrum by_covariance(Passes<T>& passes, const FitOptions& options) {
  const Index d = passes.features();
  const bool fill = options.missing == Missing::mean;
  const Preprocess at = fill ? mean_of_columns(passes, options) : Preprocess{};
  Moments moments = fill ? Moments(at.mean, at.rest) : Moments(d);
  const auto add = [&](const Rows<T>& rows, const double* weights) {
    moments.add(rows, as_weights(weights, rows.rows()), {.threads = options.threads});
  };
  passes.run("covariance", add);
  require_rows(passes, options);
  require_finite(moments.scatter_diagonal(), passes);
  if (!fill && lost_digits(moments, passes.sparse(), options)) {
    // A known centre: sparse rows are made dense, block by block.
    moments = Moments(options.center ? moments.mean() : Vector<double>(Vector<double>::Zero(d)));
    passes.run("covariance", add);
    require_finite(moments.scatter_diagonal(), passes);
  }
  require_range(moments.scatter_diagonal(options.center).sum(), passes);
  // Sums about 0, as those of sparse rows, may have lost the deviations from the mean.
  const bool apart =
      options.scale == Scale::std && !options.center && moments.cancellation() > dense_cancellation;
  Spectrum s = of_moments<T>(moments, passes.name(), options, passes.exponent(),
                             apart ? find_standard(passes, options).scale : Vector<double>());
  if (fill) {
    s.filling = (s.mean - at.mean) + (s.rest - at.rest);
    if (s.scale.size() > 0) s.filling.array() /= s.scale.array();
    s.rounding = s.rounding + rounding_of_filling(s, passes);
  }
  s.rescued = needs_rescue(s, options);
  if (s.rescued) take_qr(passes, options, s, &moments);
  return s;
}

}  // namespace

extern const LinearSolverRow covariance_solver = {
    .name = "covariance",
    .solver = Solver::covariance,
    .notes = "eigenpairs of the d x d scatter matrix; N much larger than d",
    .what = "the covariance matrix",
    .flops = [](const Facts& f,
                const FitOptions&) { return scatter_flops(f) + eigen_flops(f.columns); },
    .bytes =
        [](const Facts& f, const FitOptions&) {
          // A sum for each thread, the open one and those of two or three levels
          // (operators/leaf_sums).
          const double d = f.columns, t = f.threads;
          return 8 * (d * d * (5 + (d <= 512 ? t + 3 : 3)) + t * 65536);
        },
    .passes = [](const FitOptions& o) { return o.missing == Missing::mean ? 2.0 : 1.0; },
    .find = []<class T>(Passes<T>& passes, const FitOptions& options,
                        double) { return by_covariance(passes, options); },
};

}  // namespace mercer
