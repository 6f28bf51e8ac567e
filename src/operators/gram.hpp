#pragma once
// The N×N matrix of inner products of centred rows, for d ≫ N.
//
//     G = A Aᵀ,   A = diag(√w) (X − 1mᵀ) diag(1/s)
//
// Rows that can be used in place are multiplied first and G is centred afterwards, unless that
// would cost digits because of a large mean: then, and in all other cases, dense rows are centred
// before they are multiplied, a strip of columns at a time. Sparse rows stay sparse unless their
// digits were lost too. The mean that is taken off is rounded, at 1e15 to the nearest eighth; the
// rest is subtracted from the products: G ← JGJ, J = I − √w√wᵀ/Σw. Cost: N²·d flops at SYRK
// speed and one read of the data; entries·N when sparse.

#include <mercer/progress.hpp>
#include <mercer/rows.hpp>
#include <mercer/team.hpp>

#include <cstdint>
#include <functional>

namespace mercer {

/// A, as a recipe: what to take off the rows and what to divide their columns by.
template <class T>
struct CentredRows {
  Rows<T> x;
  const double* weights = nullptr;  ///< null: all 1
  Vector<double> mean;              ///< zeros: not centred
  Vector<double> scale;             ///< empty: not scaled
  Vector<double> missing;           ///< x − mean of missing cells; empty: NaN
  bool centred = true;              ///< false: the mean is zero because nothing is taken off
  bool far = false;  ///< the mean has more of the squares than what is left: centre rows first
};

struct Gram {
  Matrix<double> products;  ///< G, upper triangle
  Vector<double> squares;   ///< s: before centring, entry i, j was rounded relative to √(s_i s_j)
  double norm = 0;          ///< ‖G‖ in the Frobenius norm before centring
  double depth = 0;         ///< roundings that a term of an entry passed
};

template <class T>
Gram gram(const CentredRows<T>& a, int threads, const Monitor& monitor = {});

/// How rows are multiplied: in place, after centring, or entry by entry.
enum class RowProducts : std::int64_t { in_place, centred, sparse };

/// The sums over columns of which G is made, upper triangle, on rank 0. All ranks have the same
/// `a`, and each does a part: strips of columns for few rows, tiles of the matrix for many.
template <class T>
Matrix<double> row_products(const CentredRows<T>& a, RowProducts how, int threads,
                            const Monitor& monitor, Team& team);
/// G of such sums.
template <class T>
Gram gram(const CentredRows<T>& a,
          const std::function<Matrix<double>(RowProducts how)>& products_of);

/// B·A for a k×N matrix B: from eigenvectors of G to directions in the input space. On rank 0, as
/// above.
template <class T>
Matrix<double> combine(const Matrix<double>& b, const CentredRows<T>& a, int threads,
                       Team& team = Team::alone());

/// A itself, N×d, centred once more: its columns add up to 0, but for some ε of their length.
template <class T>
Matrix<double> dense(const CentredRows<T>& a, int threads);

struct ColumnScatter {
  Vector<double>
      scatter;  ///< Σ w (x − m)² of each column; m the mean itself, not as it was rounded
  Vector<double> offset;  ///< m − `mean`, which rounding left over
};

/// Of each column of A, unscaled. Not centred: about 0, without offsets.
template <class T>
ColumnScatter column_scatter(const CentredRows<T>& a, int threads);

}  // namespace mercer
