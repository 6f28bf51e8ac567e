#pragma once
// Limits of T² and SPE for new rows of a linear model of Gaussian rows.

#include <mercer/matrix.hpp>
#include <mercer/progress.hpp>

namespace mercer {

/// Statistics of the training rows in a model. Variances are about the degrees of freedom below.
struct SampleSpectrum {
  Vector<double> leading;   ///< of the components, descending
  double left = 0;          ///< Σλ of the directions that are left out
  double left_squares = 0;  ///< Σλ² of these; 0: not known, taken as equal
  Index directions = 0;     ///< in all, d
  double degrees = 0;       ///< of freedom, N − 1 about the mean
  bool scaled = false;      ///< columns were divided by their deviations in the sample
  double new_row = 1;       ///< variance of a new row about the model's mean: 1 + 1/N
};

struct GaussianLimits {
  double t2 = 0, spe = 0;  ///< 0: not known, variance is left out along too many directions
};

/// Components that are chosen by their size are too long in the sample and do not point where new
/// rows vary most: the laws of Hotelling and Box do not hold for them, by far where variances are
/// alike or rows few. Instead: the variances of the population whose samples have on average the
/// spectrum that was seen, and the distribution of new rows over such samples. The same numbers
/// come out for any number of threads. That is T²; SPE of samples with up to 128 directions is
/// found from the spectrum alone: conditional_limits.hpp.
GaussianLimits simulated_limits(const SampleSpectrum& seen, double level, const RunOptions& how);

/// Hotelling's T² of all directions, which holds for any variances.
double hotelling_limit(double components, double degrees, double new_row, double level);

/// Whether `simulated_limits` is affordable; otherwise too many components of too many directions.
bool can_simulate(const SampleSpectrum& seen);

}  // namespace mercer
