#pragma once
/// \file
/// The matrices whose eigenvectors are principal components, as numbers.
///
///     using mercer::DataMatrix;
///     auto r = mercer::data_matrix(mercer::Rows<double>(x), DataMatrix::covariance);    // d×d
///     auto g = mercer::data_matrix(mercer::Rows<double>(x), DataMatrix::gram);          // N×N
///     auto kernel = mercer::kernels::rbf({.gamma = 0.5});
///     auto k = mercer::centred_kernel_matrix(kernel, mercer::Rows<double>(x));          // JKJ
///
/// With X̃ = X − 1mᵀ the centred rows, W = diag(w) their weights (1 without) and J = I − 11ᵀ/N:
///
///     scatter      X̃ᵀWX̃
///     covariance   X̃ᵀWX̃ / (Σw − ddof)
///     correlation  scatter_ij / √(scatter_ii scatter_jj), its diagonal exactly 1
///     gram         √W X̃X̃ᵀ √W = √W JXXᵀJ √W for w = 1
///
/// With `scale` X̃ are z-scores, and without `center` X itself: the correlation is then the cosine
/// of the columns. Sums are those of `fit`: about the mean, so a mean far from 0 loses no accuracy,
/// the same bits for any number of threads, and numbers whose squares overflow are scaled by a
/// power of two first.
///
/// Cost: N·d² flops and d² numbers (gram: N²·d and N²; the rows are held in memory).

#include <mercer/fit.hpp>
#include <mercer/kernel.hpp>

#include <span>
#include <string>
#include <string_view>

namespace mercer {

enum class DataMatrix { covariance, correlation, scatter, gram };

/// Entry in the list of these matrices.
struct DataMatrixEntry {
  std::string name;
  DataMatrix matrix = DataMatrix::covariance;
  std::string notes;
};
std::span<const DataMatrixEntry> data_matrix_table();
/// By its name. Throws `Errc::bad_option` with the names.
DataMatrix parse_data_matrix(std::string_view name);

/// Exactly symmetric. Uses `center`, `scale`, `ddof`, `missing` (`error` or `mean`), `memory`,
/// `threads` and `monitor` of the options. Throws `Errc::bad_data` for the correlation of a column
/// that varies by no more than its rounding, and for a matrix whose numbers do not fit a double.
template <class T>
Matrix<double> data_matrix(Source<T>& source, DataMatrix what, const FitOptions& options = {});
template <class T>
Matrix<double> data_matrix(const Rows<T>& x, DataMatrix what, const FitOptions& options = {},
                           Weights weights = {});

/// JKJ, exactly symmetric; each row adds up to 0 up to rounding. What centring removes is left out
/// before values are rounded, where the kernel allows it: nearly constant kernels (rbf with a small
/// γ) and linear kernels of rows far from 0 stay accurate. Other kernels lose about
/// log10(max|K| / max|JKJ|) digits; throws `Errc::bad_data` where fewer than six are left. Open
/// parameters are estimated from the rows.
///
/// Cost: N²/2 kernel values and N² doubles.
template <class T>
Matrix<double> centred_kernel_matrix(const Kernel& kernel, const Rows<T>& x,
                                     const RunOptions& options = {});

}  // namespace mercer
