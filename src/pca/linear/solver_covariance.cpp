// N ≫ d: eigenpairs of the d×d scatter matrix, from one pass; another pass about the mean when the
// first rows were no guide to it, and one more (QR) when the smallest eigenvalue that is kept is
// so small that squaring the data has cost it its digits.
#include "operators/moments_impl.hpp"
#include "pca/linear/column_moments.hpp"
#include "pca/linear/solver_row.hpp"
#include "pca/linear/spectrum_checks.hpp"
#include "pca/linear/triangular_factor.hpp"
#include "pca/method_cost.hpp"
#include "pca/standard.hpp"
#include "pca/team_rows.hpp"

namespace mercer {

namespace {

template <class T>
Spectrum by_covariance(Passes<T>& passes, const FitOptions& options) {
  const bool fill = options.missing == Missing::mean;
  const Preprocess at = fill ? mean_of_columns(passes, options) : Preprocess{};
  const Moments moments = column_moments(passes, options, at);
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

/// Sums of leaves go to rank 0. The first pass chooses the shift, unless the means are known.
void covariance_traffic(const RowShares& rows, const FitOptions& options, const Facts&, double,
                        TeamTraffic& first, TeamTraffic& further) {
  const Leaves leaves(rows.columns);
  const bool known = rows.sparse || options.missing == Missing::mean;
  const bool enough = rows.first.back() >= leaves.start;
  if (!known && enough) {
    rows.add_first_rows(first, leaves.start);
    first.from_root(rows.columns);
  }
  const auto add_pass = [&](TeamTraffic& traffic, bool shifted) {
    // Sparse rows that were shifted are no longer so.
    const bool sparse = rows.sparse && &traffic == &first;
    rows.add_leaves(traffic, sparse ? leaves.sparse : leaves.rows);
    Moments::Impl::add_collect(traffic, rows.first, leaves, sparse, shifted);
  };
  add_pass(first, known || enough);
  add_pass(further, true);
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
    .distributed = true,
    .traffic = &covariance_traffic,
    .root_flops = [](const Facts& f) { return eigen_flops(f.columns); },
    .find = []<class T>(Passes<T>& passes, const FitOptions& options,
                        double) { return by_covariance(passes, options); },
};

}  // namespace mercer
