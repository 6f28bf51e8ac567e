#pragma once
// Limits of SPE that follow from the spectrum of a Gaussian sample alone.

#include <mercer/matrix.hpp>

#include <vector>

namespace mercer {

/// Spectra that a sample may have, as far as is known: alike in their leading part.
struct SampleSpectra {
  std::vector<Vector<double>> values;  ///< of the scatter matrix, each descending and above 0
  Index components = 0;                ///< that the model has of them
  Index degrees = 0;                   ///< of freedom: N − 1 about the mean, N about 0
  bool centered = true;
};

/// Given mean and scatter matrix of a Gaussian sample, its rows are those of a matrix that is
/// uniform on the orthonormal ones times the root of the scatter matrix, for any covariance of the
/// population: both are sufficient. So the spectrum determines the distribution of the SPE of a
/// row that is left out of the fit, without a parameter to estimate, and a new row that joins the
/// sample is one of these: it is beyond its limit with probability 1 − level, exactly, when the
/// limit is the quantile given the sample with that row (the conditional test of Lockhart, O'Reilly
/// and Stephens 2007; full conformal prediction, Vovk et al. 2005). That limit depends on the row;
/// what is given here is one for all rows, beyond which as many lie.
///
/// T² has no such limit: where two variances are nearly alike, a row decides which of them is the
/// component, and rows of a middling T² can be the rarest.
double conditional_spe_limit(const SampleSpectra& seen, double level, int threads);

/// The highest level supported by the rows drawn for it: a few of them lie beyond.
double highest_conditional_level(const SampleSpectra& seen);

}  // namespace mercer
