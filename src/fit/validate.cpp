#include "fit/validate.hpp"

#include "core/require.hpp"

#include <cmath>

namespace mercer {

void validate(const FitOptions& o) {
  const Components& c = o.components;
  require(c.kind() != Components::Kind::count || c.count() > 0, Errc::bad_option,
          "-k {} keeps nothing: ask for at least one component", c.count());
  require(c.kind() != Components::Kind::fraction || (c.fraction() > 0 && c.fraction() <= 1),
          Errc::bad_option, "-k {} is no fraction of the variance: it must lie between 0 and 1",
          c.fraction());
  require(o.tolerance > 0 && o.tolerance < 1, Errc::bad_option,
          "--tolerance {} must lie between 0 and 1", o.tolerance);
  require(o.ddof == 0 || o.ddof == 1, Errc::bad_option, "--ddof {} must be 0 or 1", o.ddof);
  require(o.threads >= 0, Errc::bad_option, "--threads {} must not be negative", o.threads);
  const bool kernel = o.kernel || o.precomputed;
  require(!(o.kernel && o.precomputed), Errc::bad_option,
          "--kernel and --precomputed exclude each other: the matrix already holds its kernel");
  const bool for_kernels = o.solver == Solver::dense || o.solver == Solver::krylov;
  require(!kernel || for_kernels || o.solver == Solver::automatic, Errc::bad_option,
          "--solver: kernel PCA has auto, dense and krylov");
  require(kernel || !for_kernels, Errc::bad_option,
          "--solver dense and krylov are for kernel PCA (--kernel, --precomputed)");
  require(!o.precomputed || (o.scale == Scale::none && o.missing != Missing::mean),
          Errc::bad_option, "--precomputed: similarities can neither be scaled nor filled in");
  require(o.center || o.missing != Missing::mean, Errc::bad_option,
          "--missing mean needs centring; leave the rows out instead (--missing drop)");
}

void require_weights(const double* weights, Index rows) {
  for (Index i = 0; weights && i < rows; ++i)
    require(weights[i] >= 0 && std::isfinite(weights[i]), Errc::bad_data,
            "the weight of row {} is {}; weights must be numbers of 0 or more", i + 1, weights[i]);
}

}  // namespace mercer
