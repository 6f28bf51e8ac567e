#include "pca/kernel/kernel_spectrum.hpp"

#include "core/monitor.hpp"
#include "core/require.hpp"
#include "core/team.hpp"
#include "pca/kernel/kernel_krylov.hpp"
#include "pca/kernel/kernel_problem.hpp"
#include "pca/plan_steps.hpp"
#include "solvers/dense.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace mercer {

namespace {

using Kind = Components::Kind;

template <class T>
KernelSpectrum by_dense(const KernelProblem<T>& p) {
  const FitOptions& options = p.options;
  const Vector<double>& w = p.w;
  const Index n = p.tiles.size, most = most_components(n, options);
  Reporter report(options.monitor, "kernel matrix", "rows", static_cast<double>(n));
  report(0);
  Matrix<double> k = whole_matrix(p.tiles, options.threads);
  if (!p.origin.valid && !options.clip)
    refuse_minor(p.origin, worst_minor<double>(k, p.tiles.diagonal, 0, 0), p.lowest / w.maxCoeff());
  KernelSpectrum s;
  s.mean = k * w / w.sum();
  double squares = 0;
  for (Index i = 0; i < n; ++i) squares += w[i] * k.row(i).cwiseAbs2().dot(w);
  if (options.center) {
    const double overall = w.dot(s.mean) / w.sum();
    k.colwise() -= s.mean;
    k.rowwise() -= (s.mean.array() - overall).matrix().transpose();
  }
  const Vector<double> u = w.cwiseSqrt();
  k.array().colwise() *= u.array();
  k.array().rowwise() *= u.array().transpose();
  s.trace = k.trace();
  const RoundingBound rounding = matrix_rounding(p.tiles, w, squares, s.mean);
  const double noise = std::max(p.noise, rounding.likely);
  if (!options.clip) require_kernel_variance(s.trace, p.noise, p.origin);
  const Components& asked = options.components;
  // All of them where one may be negative.
  const bool few = asked.kind() == Kind::count && !options.clip && p.origin.valid;
  s.tolerance = options.tolerance;
  Eigenpairs pairs =
      dense_eigenpairs(k, few ? std::min(asked.count(), n) : n, s.tolerance, options.threads);
  const double size = pairs.values.cwiseAbs().maxCoeff();
  if (options.clip) {
    s.trace = pairs.values.cwiseMax(0).sum();  // what the option asks for
    require_kernel_variance(s.trace, p.noise, p.origin);
  } else if (!p.origin.valid && pairs.values[n - 1] < -std::max(p.lowest, rounding.likely)) {
    refuse_indefinite(p.origin, n, pairs.values[n - 1], pairs.values[0]);
  }
  const bool uncertain = rounding.likely > allowed_error<T>(options) * pairs.values[0];
  const Index count = std::min(
      kept_components(asked, pairs.values, s.trace, noise, true, uncertain, p.origin), most);
  s.eigenvalues = pairs.values.head(count);
  s.vectors = pairs.vectors.topRows(count);
  s.passes = 1;
  s.dense = true;
  // LAPACK finds the eigenvalues of a matrix that is within N·ε of this one, in norm; their order
  // is theirs, so that nothing can be missed.
  const double lapack = static_cast<double>(n) * 0x1p-52 * size;
  finish_spectrum(s, p, Vector<double>(pairs.residuals.head(count)),
                  s.eigenvalues[count - 1] + lapack, rounding + RoundingBound{lapack, lapack}, 1);
  return s;
}

/// The same pairs on all ranks, whatever processor each of them has.
template <class T>
KernelSpectrum by_dense_on_root(const KernelProblem<T>& p) {
  KernelSpectrum s;
  agree(p.team, [&] { s = by_dense(p); });
  for (Vector<double>* numbers : {&s.eigenvalues, &s.residuals, &s.mean})
    from_root(p.team, *numbers);
  from_root(p.team, s.vectors);
  return s;
}

/// The solver of the plan; the other one if that fails and the choice was automatic.
template <class T>
KernelSpectrum by_either(const KernelProblem<T>& p, const Plan& plan) {
  require_possible(plan);
  const Index n = p.tiles.size;
  const bool dense = plan.solver == Solver::dense;
  const bool to_dense = plan.otherwise == Solver::dense;
  std::optional<KernelSpectrum> s;
  try {
    s = dense ? by_dense_on_root(p) : krylov_spectrum(p, plan.work, to_dense);
    if (s) s->why = plan.chosen.why + s->why;
    // What rounding leaves of the tolerance may be too little for Krylov; LAPACK needs less.
    if (s && to_dense && s->error > allowed_error<T>(p.options)) s.reset();
    // Copies of an eigenvalue leave Krylov in doubt about larger ones; LAPACK misses none.
    constexpr Index moderate = 6000;
    if (s && to_dense && n <= moderate &&
        s->certificate.high[0] - s->eigenvalues[0] > 1e-6 * s->eigenvalues[0])
      s.reset();
  } catch (const Error& e) {
    const bool other = e.code() == Errc::not_converged || e.code() == Errc::out_of_memory;
    if (!other || !plan.otherwise) throw;
  }
  if (s) return *std::move(s);
  s = dense ? krylov_spectrum(p, plan.work, false) : by_dense_on_root(p);
  s->why = dense ? "all eigenvalues at once did not converge" + s->why
                 : "many components are needed, or block Krylov did not converge";
  return *std::move(s);
}

}  // namespace

template <class T>
KernelSpectrum kernel_spectrum(const Tiles<T>& tiles, const FitOptions& options,
                               const double* weights, const Plan& plan, const KernelOrigin& origin,
                               Team& team) {
  const double smallest = tiles.diagonal.minCoeff(), largest = tiles.diagonal.maxCoeff();
  if (!options.clip && smallest < 0 && smallest < -origin.noise) {
    Index row = 0;
    tiles.diagonal.minCoeff(&row);
    refuse_minor(origin, {row, row, smallest}, 0);
  }
  // Squares must neither overflow nor vanish; a power of two changes no digit.
  const int exponent = largest > 0 ? std::ilogb(largest) : 0;
  if (std::abs(exponent) < 200) {
    return by_either(kernel_problem(tiles, options, weights, origin, team), plan);
  }
  const double unit = std::ldexp(1.0, exponent);
  require(exponent > -960, Errc::bad_data,
          "the kernel values are {:.1e} at most, too close to underflow: scale the data", largest);
  KernelOrigin scaled_origin = origin;
  scaled_origin.noise /= unit;
  const Tiles<T> scaled = scaled_tiles(tiles, -exponent);
  KernelSpectrum s = by_either(kernel_problem(scaled, options, weights, scaled_origin, team), plan);
  s.eigenvalues *= unit;
  s.mean *= unit;
  s.trace *= unit;
  for (auto* side : {&s.certificate.low, &s.certificate.high})
    for (double& value : *side) value *= unit;
  s.certificate.rounding *= unit;
  return s;
}

template KernelSpectrum kernel_spectrum(const Tiles<float>&, const FitOptions&, const double*,
                                        const Plan&, const KernelOrigin&, Team&);
template KernelSpectrum kernel_spectrum(const Tiles<double>&, const FitOptions&, const double*,
                                        const Plan&, const KernelOrigin&, Team&);

}  // namespace mercer