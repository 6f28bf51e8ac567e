#include "pca/kernel/kernel_problem.hpp"

#include "core/require.hpp"

#include <algorithm>
#include <limits>

namespace mercer {

namespace {

using Kind = Components::Kind;

/// Below this an eigenvalue is rounding: each of the N² entries is off by a few ε of the largest.
template <class T>
double noise_level(Index n, double largest_entry) {
  return 8 * static_cast<double>(std::numeric_limits<T>::epsilon()) * static_cast<double>(n) *
         std::max(largest_entry, std::numeric_limits<double>::min());
}

}  // namespace

template <class T>
KernelProblem<T> kernel_problem(const Tiles<T>& tiles, const FitOptions& options,
                                const double* weights, const KernelOrigin& origin, Team& team) {
  const Index n = tiles.size;
  KernelProblem<T> p{tiles, options, weights, origin, team, Vector<double>::Ones(n)};
  if (weights) p.w = Eigen::Map<const Vector<double>>(weights, n);
  p.noise = noise_level<T>(n, tiles.diagonal.cwiseAbs().cwiseProduct(p.w).maxCoeff());
  p.lowest = std::max(p.noise, origin.noise * p.w.maxCoeff());
  if (origin.score_epsilon > 0) {
    // Scores are sums of k(x, x_i)·b_i with ‖b‖ = λ^-½, so rounding k and b leaves them an error of
    // ε·k·λ^-½ each, √N times that in all, and their own norm is λ^½: at λ = 2ε·N·k it is 1/(2√N)
    // of them. N is the sum of the weights, as a row of weight 2 is two rows.
    Vector<double> own = tiles.diagonal;
    if (tiles.offset.size() > 0) own += 2 * tiles.offset;
    p.noise = std::max(p.noise, 2 * origin.score_epsilon * p.w.sum() * own.cwiseAbs().maxCoeff());
  }
  return p;
}

Index most_components(Index n, const FitOptions& options) {
  const Index most = options.center ? n - 1 : n;
  const Components& asked = options.components;
  require(asked.kind() != Kind::count || asked.soft() || asked.count() <= most, Errc::bad_option,
          "`components={}` is too large: {} rows have at most {} components", asked.count(), n,
          most);
  return most;
}

Index kept_components(const Components& asked, const Vector<double>& values, double trace,
                      double noise, bool all_seen, bool uncertain, const KernelOrigin& origin) {
  Index rank = 0;
  while (rank < values.size() && values[rank] > noise) ++rank;
  const bool ended = all_seen || rank < values.size();
  if (rank == 0 && ended) refuse_constant(origin);
  if (asked.kind() == Kind::count) {
    if ((asked.soft() || uncertain) && ended) return std::min(asked.count(), rank);
    require(asked.count() <= rank || !ended, Errc::bad_option,
            "`components={}` is more than the data have: only {} directions of the feature space "
            "have any "
            "variance; use `components={}`",
            asked.count(), rank, rank);
    return asked.count() <= rank ? asked.count() : 0;
  }
  if (asked.kind() == Kind::fraction) {
    double sum = 0;
    for (Index k = 0; k < rank; ++k) {
      sum += values[k];
      // A rounding error must not cost one more component.
      if (sum >= asked.fraction() * trace * (1 - 1e-12)) return k + 1;
    }
    require(!ended || uncertain, Errc::bad_option,
            "`components={}` cannot be reached: the {} directions above rounding explain {:.9g} of "
            "the variance; use a smaller fraction",
            asked.fraction(), rank, sum / trace);
  }
  return ended ? rank : 0;
}

void require_kernel_variance(double trace, double noise, const KernelOrigin& origin) {
  if (!(trace > noise)) refuse_constant(origin);
}

template <class T>
void finish_spectrum(KernelSpectrum& s, const KernelProblem<T>& p, const Vector<double>& residuals,
                     double ceiling, const RoundingBound& rounding, double confidence) {
  const double largest = s.eigenvalues[0];
  s.residuals = residuals / largest;
  s.certificate = certified(s.eigenvalues, residuals, ceiling, rounding, confidence,
                            allowed_error<T>(p.options));
  s.rounding = s.certificate.rounding / largest;
  s.error = s.residuals.maxCoeff() + s.rounding;
  if (!p.options.clip)
    require_within_trace(p.origin, s.eigenvalues, s.trace, p.lowest + s.certificate.rounding,
                         p.tiles.size);
  // Rounded entries leave eigenvalues just below 0, which the trace counts too: the others then add
  // up to more, by no more than was just allowed. The problem's own trace is at least their sum.
  s.trace = std::max(s.trace, s.eigenvalues.sum());
}

#define MERCER_INSTANTIATE(T)                                                                    \
  template KernelProblem<T> kernel_problem(const Tiles<T>&, const FitOptions&, const double*,    \
                                           const KernelOrigin&, Team&);                          \
  template void finish_spectrum(KernelSpectrum&, const KernelProblem<T>&, const Vector<double>&, \
                                double, const RoundingBound&, double);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
