#include "fit/kernel_certificate.hpp"

#include "core/require.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

template <class T>
double matrix_rounding(const Tiles<T>& tiles, double plain_squares, double weight) {
  const auto n = static_cast<double>(tiles.size);
  const double norm = std::sqrt(plain_squares);
  const double sums = (std::min(n, 8 * std::sqrt(n)) + 16) * 0x1p-53;
  return (tiles.relative_error + sums) * norm + tiles.absolute_error * weight;
}

void refuse_indefinite(const KernelOrigin& origin, Index rows, double smallest, double largest) {
  fail(Errc::bad_data,
       "{} is not positive semi-definite: on {} rows there is a unit vector z with zᵀKz = {:.3g} "
       "(largest eigenvalue {:.3g}); use another kernel or parameter, or --clip to count negative "
       "eigenvalues as 0",
       origin.what, rows, smallest, largest);
}

void refuse_minor(const KernelOrigin& origin, const BadMinor& minor, double noise) {
  if (minor.smallest >= -noise) return;
  fail(Errc::bad_data,
       "{} is not positive semi-definite: on the rows {} and {} alone there is a unit vector z "
       "with zᵀKz = {:.3g}; use another kernel or parameter, or --clip to count negative "
       "eigenvalues as 0",
       origin.what, minor.row + 1, minor.col + 1, minor.smallest);
}

void require_within_trace(const KernelOrigin& origin, const Vector<double>& eigenvalues,
                          double trace, double slack, Index rows) {
  const double sum = eigenvalues.sum();
  const double allowed = static_cast<double>(eigenvalues.size() + 1) * slack;
  if (sum <= trace + allowed) return;
  // The others add up to less than nothing.
  if (!origin.valid)
    refuse_indefinite(origin, rows, (trace - sum) / static_cast<double>(rows), eigenvalues[0]);
  fail(Errc::not_converged,
       "the {} largest eigenvalues of {} add up to {:.17g}, more than the trace {:.17g} and its "
       "rounding {:.1e}: this is an error of Mercer; please report it with the data",
       eigenvalues.size(), origin.what, sum, trace, allowed);
}

Certificate certified(const Vector<double>& eigenvalues, const Vector<double>& residuals,
                      double ceiling, double rounding, double confidence) {
  // With R the residuals of the unit vectors Q, A − RQᵀ − QRᵀ has the eigenvalues given, and others
  // below ceiling + ‖R‖; it is ‖R‖ away from A (Weyl).
  const double off = residuals.norm();
  Certificate out;
  for (Index j = 0; j < eigenvalues.size(); ++j) {
    out.low.push_back(eigenvalues[j] - off - rounding);
    out.high.push_back(std::max(eigenvalues[j], ceiling + off) + off + rounding);
  }
  out.rounding = rounding;
  out.confidence = confidence;
  if (confidence < 1)
    out.reason =
        "that no larger eigenvalue was missed rests on random vectors: it fails with this "
        "probability at most";
  return out;
}

template double matrix_rounding(const Tiles<float>&, double, double);
template double matrix_rounding(const Tiles<double>&, double, double);

}  // namespace mercer
