#pragma once
// The roads of linear PCA to the same eigenpairs.

#include "fit/passes.hpp"

#include <mercer/fit.hpp>
#include <mercer/moments.hpp>

namespace mercer {

/// What every road ends in.
struct Spectrum {
  Vector<double> mean;         ///< zeros when not centred
  Vector<double> scale;        ///< empty when not standardized
  Vector<double> eigenvalues;  ///< μ, descending, at least as many as are kept
  Matrix<double> components;   ///< rows
  Vector<double> residuals;    ///< ‖Sq − μq‖ / μ₁, S the scatter matrix
  double total = 0;            ///< trace of S
  double squares = 0;          ///< ‖S‖², the sum of all μ²; 0: not known
  double noise = 0;            ///< eigenvalues up to here are rounding
  bool by_qr = false;          ///< small variances came from a QR of the rows
};

/// Eigenpairs of the scatter matrix that moments hold; `name` is what messages call the rows.
template <class T>
Spectrum of_moments(const Moments& moments, const std::string& name, const FitOptions& options);

/// N ≫ d: eigenpairs of the d×d scatter matrix, from one pass; another pass (QR) when the
/// smallest eigenvalue that is kept is so small that squaring the data has cost it its digits.
template <class T>
Spectrum by_covariance(Passes<T>& passes, const FitOptions& options);

/// d ≫ N: eigenpairs of the N×N Gram matrix, w_i = Aᵀv_i/√μ_i. Rows must be in memory.
template <class T>
Spectrum by_gram(Passes<T>& passes, const FitOptions& options);

/// Singular values of the centred rows: streamed QR and the SVD of its triangle, or the SVD of
/// the rows themselves when they are in memory and fewer than the columns.
template <class T>
Spectrum by_svd(Passes<T>& passes, const FitOptions& options);

/// N and d both large, few components: block Krylov on products with the scatter matrix, which is
/// never formed. As many passes as it takes for the residuals to meet the tolerance.
template <class T>
Spectrum by_products(Passes<T>& passes, const FitOptions& options, double budget);

/// How many of the eigenvalues to keep. Throws when more are asked for than the data have.
Index kept_components(const Components& asked, const Spectrum& spectrum);

}  // namespace mercer
