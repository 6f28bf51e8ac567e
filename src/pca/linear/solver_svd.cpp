// Singular values of the centred rows: streamed QR and the SVD of its triangle, or the SVD of the
// rows themselves when they are in memory and fewer than the columns.
#include "pca/linear/solver_row.hpp"
#include "pca/linear/spectrum_checks.hpp"
#include "pca/linear/triangular_factor.hpp"
#include "pca/method_cost.hpp"

#include <algorithm>

namespace mercer {

namespace {

template <class T>
Spectrum by_svd(Passes<T>& passes, const FitOptions& options) {
  Spectrum s = begun(passes, options);
  wanted(passes, options);  // a k that is too large is refused before the work
  if (passes.memory() && passes.rows() < passes.features()) {
    take_rows(centred_rows(passes, s, options), passes, options, s);
  } else {
    take_qr(passes, options, s);
  }
  return s;
}

}  // namespace

extern const LinearSolverRow svd_solver = {
    .name = "svd",
    .solver = Solver::svd,
    .notes = "singular values of the centred rows; the most accurate",
    .what = "an SVD of the rows",
    .flops =
        [](const Facts& f, const FitOptions&) {
          return 4 * scatter_flops(f) + eigen_flops(std::min(f.rows, f.columns));
        },
    .bytes =
        [](const Facts& f, const FitOptions&) {
          const double n = f.rows, d = f.columns;
          if (f.in_memory && n < d) return wide_svd_bytes(n, d);
          return 8 * (17 * d * d + 5 * f.threads * d * d + 131072);
        },
    .passes = [](const FitOptions&) { return 2.0; },
    .unplanned =
        [](const Facts&, const FitOptions&) {
          return "the rows are factored only where small variances need it";
        },
    .find = []<class T>(Passes<T>& passes, const FitOptions& options,
                        double) { return by_svd(passes, options); },
};

}  // namespace mercer
