// Rows whose squares a double cannot hold: multiplied by a power of two on entry, divided by it in
// the result. Both are exact.
#include "core/require.hpp"
#include "pca/linear/solver_row.hpp"
#include "pca/linear/spectrum_checks.hpp"

#include <cmath>
#include <limits>

namespace mercer {

namespace {

void multiply(Vector<double>& v, int exponent) {
  for (Index j = 0; j < v.size(); ++j) v[j] = std::ldexp(v[j], exponent);
}

void multiply(RoundingBound& b, int exponent) {
  b.proven = std::ldexp(b.proven, exponent);
  b.likely = std::ldexp(b.likely, exponent);
}

/// The largest eigenvalue and the trace have to be numbers with all their digits.
void require_representable(const Spectrum& s, int exponent, const std::string& name) {
  // The variances are the eigenvalues over the weights, but both are reported.
  const double digits = 0.30102999566398120 * exponent;
  const bool small =
      !(std::ldexp(s.eigenvalues[0], exponent) >= std::numeric_limits<double>::min());
  const bool large = !std::isfinite(std::ldexp(s.total, exponent));
  require(!small && !large, Errc::bad_data,
          "{} contains numbers too {} to square: its largest eigenvalue is about 1e{:+.0f}; "
          "multiply all numbers by 1e{:+.0f} or fit with `scale=std`",
          Input(name), small ? "small" : "large", std::log10(s.eigenvalues[0]) + digits,
          -std::floor((std::log10(s.eigenvalues[0]) + digits) / 2));
}

/// The spectrum of rows that were multiplied by 2^power, as that of the rows themselves.
void undo(Spectrum& s, int power, bool centred, const std::string& name) {
  multiply(s.mean, -power);
  multiply(s.rest, -power);
  multiply(s.offset, -power);
  if (s.scale.size() > 0) {
    // z-scores are the same. A column that does not vary has a scale of 1 by definition; one that
    // keeps its mean had the power as its scale.
    for (Index j = 0; j < s.scale.size(); ++j)
      if (!centred || s.column_scatter[j] > s.column_noise[j])
        s.scale[j] = std::ldexp(s.scale[j], -power);
    return;
  }
  require_representable(s, -2 * power, name);
  for (Vector<double>* v :
       {&s.eigenvalues, &s.noise_of, &s.column_scatter, &s.column_noise, &s.errors})
    multiply(*v, -2 * power);
  s.total = std::ldexp(s.total, -2 * power);
  s.noise = std::ldexp(s.noise, -2 * power);
  s.squares = std::ldexp(s.squares, -4 * power);
  multiply(s.rounding, -2 * power);
  multiply(s.of_factor, -power);
  for (Index i = 0; i < s.factor.size(); ++i)
    s.factor.data()[i] = std::ldexp(s.factor.data()[i], -power);
}

}  // namespace

template <class T>
Spectrum find_spectrum(Solver solver, Passes<T>& passes, const FitOptions& options, double budget) {
  const LinearSolverRow& row = *linear_solver(solver);
  try {
    return row.find(passes, options, budget);
  } catch (const OutOfRange&) {
    normalize(passes);
  }
  Spectrum s = row.find(passes, options, budget);
  undo(s, passes.exponent(), options.center, passes.name());
  return s;
}

template Spectrum find_spectrum(Solver, Passes<float>&, const FitOptions&, double);
template Spectrum find_spectrum(Solver, Passes<double>&, const FitOptions&, double);

}  // namespace mercer
