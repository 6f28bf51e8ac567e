#pragma once
// What holds for the eigenvalues of every positive semidefinite matrix, checked before a model is
// built, in every build. What fails here is a defect of ours and an error, never a clip.

#include <mercer/matrix.hpp>

#include <string_view>
#include <vector>

namespace mercer {

/// Eigenvalues that are about to be reported.
struct ReportedEigenvalues {
  const Vector<double>& values;     ///< descending
  const std::vector<double>& low;   ///< of their intervals; empty: `error` below each value
  const std::vector<double>& high;  ///< empty: `error` above each value
  double total = 0;                 ///< the trace
  double error = 0;                 ///< of the trace, and of the values where there is no interval
};

/// Each value is a number of at least 0 within its interval, none exceeds the one before it, and
/// neither the first nor all together exceed the trace, beyond what the intervals allow. Throws
/// `Errc::not_converged`, with the numbers, naming `method`.
void require_invariants(const ReportedEigenvalues& eigenvalues, std::string_view method);

/// The first `count` eigenvalues hold the `fraction` of the trace that was asked for.
void require_fraction(const Vector<double>& values, Index count, double fraction, double total,
                      double error, std::string_view method);

}  // namespace mercer
