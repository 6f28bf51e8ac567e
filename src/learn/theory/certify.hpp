#pragma once
// How far components are from the leading eigenvectors of R, where the rows can be read again.
//
// With Ritz pairs (θ_j, u_j) of a Krylov space that begins with the components and two random
// vectors, ρ_j = ‖Ru_j − θ_j u_j‖ and δ_j the distance from θ_j to the rest of the spectrum,
//
//     ∠(b_j, q_j) ≤ ∠(b_j, u_j) + asin(ρ_j/δ_j)            (Davis & Kahan 1970)
//
// The spectrum beyond the k-th is bounded by the smaller of θ_{k+1} + ρ_{k+1} and of what the trace
// leaves, tr R − Σθ_j. The second is proven; the first misses a larger eigenvalue only when both
// random vectors are at right angles to its eigenvector.

#include <mercer/matrix.hpp>

#include <cstdint>

namespace mercer {

namespace detail {
class Moment;
}
using detail::Moment;

/// R, the second moment of the rows, on row vectors v.
class detail::Moment {
 public:
  virtual ~Moment() = default;
  /// ⟨v, w⟩ = v·dual(w): of weights that are combinations of rows. Otherwise v itself.
  virtual Matrix<double> dual(const Matrix<double>& v) { return v; }
  /// Whether that is so: then it is not kept beside v.
  virtual bool euclidean() const { return true; }
  /// Rv of each row v; one pass over the rows.
  virtual Matrix<double> times(const Matrix<double>& v, const Matrix<double>& dual) = 0;
  virtual double trace() = 0;  ///< known after the first `times`
};

/// Where components should be, as far as it is known.
struct Verdict {
  Vector<double> angles;   ///< of each component to its place, degrees
  Vector<double> bounds;   ///< how far that place may be from the eigenvector, degrees
  Vector<double> values;   ///< λ_j
  Vector<double> errors;   ///< which lies within values_j ± errors_j
  double largest() const;  ///< of angle + bound; 90 when nothing is known
};

/// `components`: independent rows, in order. Ends early once some component is certainly farther
/// away than `limit`, in degrees.
Verdict certify(Moment& r, const Matrix<double>& components, double limit, std::uint64_t seed);

/// Of the lines through two vectors, degrees; exact for small angles too.
double turned(const Eigen::RowVectorXd& a, const Eigen::RowVectorXd& b);

}  // namespace mercer
