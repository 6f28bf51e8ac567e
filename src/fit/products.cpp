// Block Krylov on products with the scatter matrix.
#include "core/require.hpp"
#include "fit/spectrum_checks.hpp"
#include "fit/standard.hpp"
#include "operators/scatter.hpp"
#include "solvers/krylov.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace mercer {

namespace {

/// The scatter matrix by its products; what the first one tells is checked before it is believed.
template <class T>
struct CheckedScatter {
  ScatterOperator<T> a;
  Passes<T>& passes;
  const FitOptions& options;
  Spectrum& s;
  bool first = true;

  Index size() const { return a.size(); }
  void apply(const Matrix<double>& v, Matrix<double>& out) {
    a.apply(v, out);
    if (!std::exchange(first, false)) return;
    require_rows(passes, options);
    wanted(passes, options);
    const Vector<double> diagonal = a.diagonal();
    require_finite(diagonal, passes);
    s.mean = options.center ? a.mean() : Vector<double>(Vector<double>::Zero(size()));
    s.total = diagonal.sum();
    s.noise = noise_level<T>(total_second_moment(s, passes.weight()));
    require_variance(s, passes.name());
  }
};

/// How many of the eigenvalues found so far to keep; 0: more of them must be seen.
Index enough(const Components& asked, const Spectrum& s, const Vector<double>& values, Index all) {
  // Products with the scatter matrix hide what is smaller than their rounding.
  const double hidden = std::max(s.noise, 64 * std::numeric_limits<double>::epsilon() * values[0]);
  Index rank = 0;
  while (rank < values.size() && values[rank] > hidden) ++rank;
  const bool ended = rank < values.size() || values.size() == all;
  if (asked.kind() == Components::Kind::count) {
    require(asked.soft() || asked.count() <= rank, Errc::bad_option,
            "-k {} is more than randomized can tell from rounding: {} directions; use --solver svd",
            asked.count(), rank);
    return std::min(asked.count(), rank);
  }
  double sum = 0;
  for (Index k = 0; k < rank; ++k) {
    sum += values[k];
    if (sum >= asked.fraction() * s.total * (1 - 1e-12)) return k + 1;
  }
  return ended ? rank : 0;
}

}  // namespace

template <class T>
Spectrum by_products(Passes<T>& passes, const FitOptions& options, double budget) {
  const Index d = passes.features();
  const Components& asked = options.components;
  require(asked.kind() != Components::Kind::all, Errc::bad_option,
          "--solver randomized finds the first few components: say how many with -k");
  require(asked.kind() != Components::Kind::count || asked.soft() || asked.count() <= d,
          Errc::bad_option, "-k {} is too large: there are {} columns", asked.count(), d);
  Spectrum s;
  ScatterOptions how{.center = options.center,
                     .nan_on_shift = options.missing == Missing::mean,
                     .threads = options.threads};
  if (options.scale == Scale::std || how.nan_on_shift) {
    const Standard standard = find_standard(passes, options);
    require_rows(passes, options);
    require_finite(standard.mean, passes);
    how.shift = options.center ? standard.mean : Vector<double>(Vector<double>::Zero(d));
    s.scale = how.scale = standard.scale;
  }
  const Index first =
      std::min<Index>(d, asked.kind() == Components::Kind::count ? asked.count() : 32);
  BlockKrylov krylov{.tolerance = options.tolerance, .seed = options.seed};
  // Rows in memory cost flops, which few vectors a pass make the best of: sparse rows most of all.
  // Others cost a pass.
  krylov.block = std::min<Index>(d, !passes.memory() ? 32 : passes.sparse() ? 8 : 16);
  krylov = within_memory(krylov, d, first, static_cast<std::size_t>(std::max(0.0, budget)));

  CheckedScatter<T> a{
      ScatterOperator<T>(
          d, [&](const auto& visit) { passes.run("products", visit); }, std::move(how)),
      passes, options, s};
  KrylovResult found = eigs_until(
      a, first, [&](const Vector<double>& values) { return enough(asked, s, values, d); }, krylov,
      {.threads = options.threads});
  s.eigenvalues = found.pairs.values.cwiseMax(0);
  s.components = std::move(found.pairs.vectors);
  s.residuals = found.pairs.residuals / s.eigenvalues[0];
  return s;
}

template Spectrum by_products(Passes<float>&, const FitOptions&, double);
template Spectrum by_products(Passes<double>&, const FitOptions&, double);

}  // namespace mercer
