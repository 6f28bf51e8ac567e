#pragma once
// The solvers of linear PCA.

#include "pca/passes.hpp"
#include "pca/rounding.hpp"

#include <mercer/fit.hpp>
#include <mercer/moments.hpp>

#include <vector>

namespace mercer {

/// The result of every solver.
struct Spectrum {
  Vector<double> mean;         ///< zeros when not centred
  Vector<double> scale;        ///< empty when not standardized
  Vector<double> eigenvalues;  ///< μ, descending, at least as many as are kept
  Matrix<double> components;   ///< rows
  Vector<double> residuals;    ///< ‖Sq − μq‖ / μ₁, S the scatter matrix
  double total = 0;            ///< trace of S
  double squares = 0;          ///< ‖S‖², the sum of all μ²; 0: not known
  bool by_qr = false;          ///< from a QR or an SVD of the rows: μ = σ²
  bool checked = false;        ///< by_qr: `rounding` bounds what the square of the factor is off by

  /// Eigenvalues up to here are rounding: of all directions, and of each eigenvalue's own one
  /// (empty: none). See `noise_along`.
  double noise = 0;
  Vector<double> noise_of;

  Vector<double> column_scatter;  ///< the diagonal of S; empty: not known
  Vector<double> column_noise;    ///< the part of it that the rounding of the data explains

  std::vector<Index> as_constant;  ///< columns that vary, but by no more than their rounding
  bool own_scales = false;  ///< the deviations are from a pass about the mean, not from these sums
  Vector<double> offset;  ///< what rounding had left of the mean that was taken off the rows first

  Vector<double> errors;    ///< ‖Aq − μq‖ of the matrix that was solved
  RoundingBound rounding;   ///< on the 2-norm of what rounding did to S as it was formed
  RoundingBound of_factor;  ///< by_qr: the same of the factor, so in σ
  double confidence = 1;    ///< that no eigenvalue was missed
  std::string missed;       ///< what that rests on, where it is below 1
};

/// Eigenpairs of the scatter matrix that moments hold; `name` is what messages call the rows, which
/// were multiplied by 2^exponent; `scale`: deviations that are known better than the moments tell.
template <class T>
Spectrum of_moments(const Moments& moments, const std::string& name, const FitOptions& options,
                    int exponent = 0, const Vector<double>& scale = {});

/// N ≫ d: eigenpairs of the d×d scatter matrix, from one pass; another pass about the mean when the
/// first rows were no guide to it, and one more (QR) when the smallest eigenvalue that is kept is
/// so small that squaring the data has cost it its digits.
template <class T>
Spectrum by_covariance(Passes<T>& passes, const FitOptions& options);

/// d ≫ N: eigenpairs of the N×N Gram matrix, w_i = Aᵀv_i/√μ_i. Rows must be in memory. `budget`:
/// bytes of working memory, for the components or, where small variances need it, for an SVD.
template <class T>
Spectrum by_gram(Passes<T>& passes, const FitOptions& options, double budget);

/// Singular values of the centred rows: streamed QR and the SVD of its triangle, or the SVD of
/// the rows themselves when they are in memory and fewer than the columns.
template <class T>
Spectrum by_svd(Passes<T>& passes, const FitOptions& options);

/// N and d both large, few components: block Krylov on products with the scatter matrix, which is
/// never formed. As many passes as it takes for the residuals to meet the tolerance.
template <class T>
Spectrum by_products(Passes<T>& passes, const FitOptions& options, double budget);

/// Working memory of `by_products` with a small basis; `block`: vectors per pass.
double least_products_bytes(Index columns, Index components, Index block, int threads);
constexpr Index least_products_block = 8;  ///< below which memory does not push it

/// The spectrum by one of these solvers. Rows whose squares a double cannot hold are multiplied by
/// a power of two first, which is undone in the result. Throws `Errc::bad_data` when the result
/// itself does not fit a double.
template <class T>
Spectrum find_spectrum(Solver road, Passes<T>& passes, const FitOptions& options, double budget);

/// How many of the eigenvalues to keep. Throws when more are asked for than the data have, or a
/// fraction that those above the rounding do not reach.
Index kept_components(const Components& asked, const Spectrum& spectrum);

/// The same, but 0 when it would throw.
Index kept_or_none(const Components& asked, const Spectrum& spectrum);

}  // namespace mercer
