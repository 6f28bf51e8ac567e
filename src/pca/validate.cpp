#include "pca/validate.hpp"

#include "core/budget.hpp"
#include "core/require.hpp"
#include "pca/linear/solver_row.hpp"
#include "pca/saved_fit.hpp"

#include <cmath>

namespace mercer {

void validate(const FitOptions& o) {
  const Components& c = o.components;
  require(c.kind() != Components::Kind::count || c.count() > 0, Errc::bad_option,
          "`components={}` must be at least 1", c.count());
  require(c.kind() != Components::Kind::fraction || (c.fraction() > 0 && c.fraction() <= 1),
          Errc::bad_option,
          "`components={}` is not a fraction of the variance: it must lie between 0 and 1",
          c.fraction());
  require(o.tolerance > 0 && o.tolerance < 1, Errc::bad_option,
          "`tolerance={}` must lie between 0 and 1", o.tolerance);
  require(o.ddof == 0 || o.ddof == 1, Errc::bad_option, "`ddof={}` must be 0 or 1", o.ddof);
  require(o.threads >= 0, Errc::bad_option, "`threads={}` must not be negative", o.threads);
  require(o.keep_rows >= 0, Errc::bad_option, "`keep_rows={}` must not be negative", o.keep_rows);
  require(o.keep_rows == 0 || !o.precomputed, Errc::bad_option,
          "`precomputed`: there are no rows to store, only kernel values");
  const bool kernel = o.kernel || o.precomputed;
  require(!(o.kernel && o.precomputed), Errc::bad_option,
          "`kernel` and `precomputed` are mutually exclusive");
  const bool for_kernels = o.solver != Solver::automatic && !linear_solver(o.solver);
  require(!kernel || for_kernels || o.solver == Solver::automatic, Errc::bad_option,
          "`solver`: kernel PCA has auto, dense and krylov");
  require(kernel || !for_kernels, Errc::bad_option,
          "`solver=dense` and `solver=krylov` are for kernel PCA (`kernel`, `precomputed`)");
  require(!(o.clip && o.solver == Solver::krylov), Errc::bad_option,
          "`clip` needs all eigenvalues: `solver=dense`, or leave the choice to auto");
  require(!o.keep_null || !kernel, Errc::bad_option,
          "`keep_null` is for linear PCA and maps: a kernel has no end of directions");
  require(!o.keep_null || o.solver == Solver::automatic || o.solver == Solver::covariance ||
              o.solver == Solver::svd,
          Errc::bad_option, "`keep_null` needs `solver=covariance` or `solver=svd`");
  require(!o.keep_null || c.kind() == Components::Kind::all || c.kind() == Components::Kind::count,
          Errc::bad_option, "`keep_null` takes `components=all_components()` or a number of them");
  require(!o.keep_null || o.missing != Missing::em, Errc::bad_option,
          "`keep_null` cannot be combined with `missing=em`: imputed rows lie in the components");
  require(!o.precomputed || (o.scale == Scale::none && o.missing != Missing::mean),
          Errc::bad_option, "`precomputed`: kernel values can neither be scaled nor imputed");
  require(!(o.approx && o.seconds > 0), Errc::bad_option,
          "`approx` and `seconds` are mutually exclusive: `seconds` selects an approximation");
  require(o.seconds >= 0 && std::isfinite(o.seconds), Errc::bad_option,
          "`seconds={}` is not a number of seconds", o.seconds);
  const bool approximate = o.approx || o.seconds > 0;
  require(!approximate || o.kernel, Errc::bad_option,
          "`approx` and `seconds` are for kernel PCA of rows: give a `kernel`");
  require(!approximate || o.solver == Solver::automatic, Errc::bad_option,
          "`approx` and `seconds` cannot be combined with `solver`: features are solved by their "
          "covariance");
  require(!approximate || !o.clip, Errc::bad_option,
          "`clip` is for exact kernel PCA; an approximation needs a valid kernel");
  if (o.approx) require_valid(*o.approx);
  require(o.center || !keeps_holes(o.missing), Errc::bad_option,
          "`missing=mean` and em need centring; drop the rows instead (`missing=drop`)");
  require(!kernel || o.missing != Missing::em, Errc::bad_option,
          "`missing=em` is for linear PCA; kernels take `missing=mean` or drop");
  require(o.missing != Missing::em || (c.kind() == Components::Kind::count && !c.soft()),
          Errc::bad_option, "`missing=em` needs a number of components, such as `components=2`");
  require_savable(o);
}

FitOptions settled(FitOptions options) {
  options.memory = Budget(options.memory).bytes();
  // The others do not compute directions of zero variance.
  if (options.keep_null && options.solver == Solver::automatic) options.solver = Solver::covariance;
  return options;
}

void require_weights(const double* weights, Index rows, Index first) {
  for (Index i = 0; weights && i < rows; ++i)
    require(weights[i] >= 0 && std::isfinite(weights[i]), Errc::bad_data,
            "the weight of row {} is {}; weights must be numbers of 0 or more", first + i + 1,
            weights[i]);
}

}  // namespace mercer
