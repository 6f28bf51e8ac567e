#pragma once
// What the solvers of linear PCA share: the spectrum that they find, and the steps to it.

#include "data/preprocess.hpp"
#include "pca/passes.hpp"
#include "pca/rounding.hpp"

#include <mercer/fit.hpp>
#include <mercer/moments.hpp>

#include <vector>

namespace mercer {

/// The result of every solver.
struct Spectrum {
  Vector<double> mean;         ///< zeros when not centred
  Vector<double> rest;         ///< what the mean lost when it was rounded; empty when not centred
  Vector<double> scale;        ///< empty when not standardized
  Vector<double> eigenvalues;  ///< μ, descending, at least as many as are kept
  Matrix<double> components;   ///< rows
  Vector<double> residuals;    ///< ‖Sq − μq‖ / μ₁, S the scatter matrix
  double total = 0;            ///< trace of S
  double squares = 0;          ///< ‖S‖², the sum of all μ²; 0: not known
  bool by_qr = false;          ///< from a QR or an SVD of the rows: μ = σ²
  bool rescued = false;        ///< by_qr, as small variances needed it
  bool keep_null = false;      ///< directions of no variance count as components
  bool checked = false;        ///< by_qr: `rounding` bounds what the square of the factor is off by

  /// Eigenvalues up to here are rounding: of all directions, and of each eigenvalue's own one
  /// (empty: none). See `noise_along`.
  double noise = 0;
  Vector<double> noise_of;

  Vector<double> column_scatter;  ///< the diagonal of S; empty: not known
  Vector<double> column_noise;    ///< the part of it that the rounding of the data explains

  std::vector<Index> as_constant;  ///< columns that vary, but by no more than their rounding
  std::vector<Index> as_exact;     ///< such columns that are not scaled, and so are kept
  bool own_scales = false;  ///< the deviations are from a pass about the mean, not from these sums
  Vector<double> offset;   ///< what rounding had left of the mean that was taken off the rows first
  Vector<double> filling;  ///< `offset` less where missing cells lie: 0 but for rounding

  Vector<double> errors;    ///< ‖Aq − μq‖ of the matrix that was solved
  RoundingBound rounding;   ///< on the 2-norm of what rounding did to S as it was formed
  RoundingBound of_factor;  ///< by_qr: the same of the factor, so in σ
  Matrix<double> factor;    ///< by_qr: what was factored, if that is small and square; or empty
  double confidence = 1;    ///< that no eigenvalue was missed
  std::string missed;       ///< what that rests on, where it is below 1
};

/// Eigenpairs of the scatter matrix that moments hold; `name` is what messages call the rows, which
/// were multiplied by 2^exponent; `scale`: deviations that are known better than the moments tell.
template <class T>
Spectrum of_moments(const Moments& moments, const std::string& name, const FitOptions& options,
                    int exponent = 0, const Vector<double>& scale = {});

/// Means and their rests, or zeros where the rows are not centred, from one pass that also checks
/// the rows.
template <class T>
Preprocess mean_of_columns(Passes<T>& passes, const FitOptions& options);

/// A spectrum with its means, and the scales of rows that are scaled but not centred: they are
/// divided by their deviations about the mean, which no sum about 0 has.
template <class T>
Spectrum begun(Passes<T>& passes, const FitOptions& options);

/// Whether the rows themselves have to be asked: for small variances, or where residuals and
/// rounding exceed the tolerance.
bool needs_rescue(const Spectrum& s, const FitOptions& options);

/// Computed eigenvalues of a matrix that has no negative ones.
void require_semidefinite(const Vector<double>& values, RoundingBound rounding,
                          const std::string& name);

/// The spectrum by this solver. Rows whose squares a double cannot hold are multiplied by
/// a power of two first, which is undone in the result. Throws `Errc::bad_data` when the result
/// itself does not fit a double.
template <class T>
Spectrum find_spectrum(Solver solver, Passes<T>& passes, const FitOptions& options, double budget);

/// The number of the last direction that varies by more than rounding.
Index rank_of(const Spectrum& spectrum);

/// How many of the eigenvalues to keep. Throws when more are asked for than the data have, or a
/// fraction that those above the rounding do not reach.
Index kept_components(const Components& asked, const Spectrum& spectrum);

/// The same, but 0 when it would throw.
Index kept_or_none(const Components& asked, const Spectrum& spectrum);

}  // namespace mercer
