#include "pca/kernel/kernel_certificate.hpp"

#include "core/require.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

template <class T>
RoundingBound matrix_rounding(const Tiles<T>& tiles, const Vector<double>& w, double plain_squares,
                              const Vector<double>& mean) {
  double norm = std::sqrt(plain_squares);
  // UKU is similar to KW, whose rows add up to Kw.
  if (tiles.nonnegative) norm = std::min(norm, 1.0001 * w.sum() * mean.maxCoeff());
  const double trace = w.dot(tiles.diagonal.cwiseAbs());
  return RoundingBound{tiles.worst.of_matrix(norm, trace, w),
                       tiles.likely.of_matrix(norm, trace, w)} +
         roundings(static_cast<double>(tiles.size)) * norm +
         RoundingBound{16, 16} * (0x1p-53 * norm);
}

void refuse_constant(const KernelOrigin& origin) {
  if (origin.equal_rows)
    fail(Errc::bad_data, "all rows are equal under this kernel{}: there is no variance to explain",
         origin.single ? " in single precision" : "");
  require(!origin.weighted, Errc::bad_data,
          "{} has no variance on these rows beyond rounding{}: the kernel is nearly constant on "
          "them, or the weights are so unequal that a few equal rows have all of the weight; check "
          "the `weights`",
          origin.what, origin.score_epsilon > 0 ? " in single precision" : "");
  fail(Errc::bad_data,
       "{} has no variance on these rows beyond rounding{}, although they are not equal; centre "
       "and scale the data (fit with `scale=std`), or use another kernel or parameter",
       origin.what, origin.score_epsilon > 0 ? " in single precision" : "");
}

void refuse_indefinite(const KernelOrigin& origin, Index rows, double smallest, double largest) {
  fail(Errc::invalid_kernel,
       "{} is not positive semi-definite: on {} rows there is a unit vector z with zᵀKz = {:.3g} "
       "(largest eigenvalue {:.3g}); use another kernel or parameter, or `clip` to count negative "
       "eigenvalues as 0",
       origin.what, rows, smallest, largest);
}

void refuse_minor(const KernelOrigin& origin, const BadMinor& minor, double noise) {
  if (minor.smallest >= -noise) return;
  fail(Errc::invalid_kernel,
       "{} is not positive semi-definite: on the rows {} and {} alone there is a unit vector z "
       "with zᵀKz = {:.3g}; use another kernel or parameter, or `clip` to count negative "
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
       "rounding {:.1e}: this is a bug in Mercer: please report it with the data",
       eigenvalues.size(), origin.what, sum, trace, allowed);
}

Certificate certified(const Vector<double>& eigenvalues, const Vector<double>& residuals,
                      double ceiling, const RoundingBound& rounding, double confidence,
                      double allowed) {
  // With R the residuals of the unit vectors Q, A − RQᵀ − QRᵀ has the eigenvalues given, and others
  // below ceiling + ‖R‖; it is ‖R‖ away from A (Weyl).
  const double off = residuals.norm();
  const bool proven = residuals.maxCoeff() + rounding.proven <= allowed * eigenvalues[0];
  Certificate out;
  out.rounding = proven ? rounding.proven : rounding.likely;
  for (Index j = 0; j < eigenvalues.size(); ++j) {
    out.low.push_back(eigenvalues[j] - off - out.rounding);
    out.high.push_back(std::max(eigenvalues[j], ceiling + off) + off + out.rounding);
  }
  out.confidence = confidence;
  if (confidence < 1)
    out.reason = "random vectors show that no larger eigenvalue was missed, with this confidence";
  if (proven) return out;
  // What random vectors may fail with leaves room for this (missed_failure).
  out.confidence = std::min(confidence, likely_confidence);
  out.reason += fmt::format(
      "{}rounding errors are treated as independent; worst-case intervals would exceed the "
      "tolerance",
      out.reason.empty() ? "" : "; ");
  return out;
}

template RoundingBound matrix_rounding(const Tiles<float>&, const Vector<double>&, double,
                                       const Vector<double>&);
template RoundingBound matrix_rounding(const Tiles<double>&, const Vector<double>&, double,
                                       const Vector<double>&);

}  // namespace mercer
