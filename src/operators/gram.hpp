#pragma once
// The N×N matrix of inner products of centred rows, for d ≫ N.
//
//     G = A Aᵀ,   A = diag(√w) (X − 1mᵀ) diag(1/s)
//
// Rows that can be used as they lie are multiplied first and G is centred afterwards, unless that
// has lost the digits of a large mean: then, and in all other cases, dense rows are centred before
// they are multiplied, a strip of columns at a time. Sparse rows stay sparse unless their digits
// were lost too. Cost: N²·d flops at SYRK speed and one read of the data; entries·N when sparse.

#include <mercer/progress.hpp>
#include <mercer/rows.hpp>

namespace mercer {

/// A, as a recipe: what to take off the rows and what to divide their columns by.
template <class T>
struct CentredRows {
  Rows<T> x;
  const double* weights = nullptr;  ///< null: all 1
  Vector<double> mean;              ///< zeros: not centred
  Vector<double> scale;             ///< empty: not scaled
  bool nan_on_mean = false;         ///< missing cells count as lying on the mean
};

/// G, upper triangle.
template <class T>
Matrix<double> gram(const CentredRows<T>& a, int threads, const Monitor& monitor = {});

/// B·A for a k×N matrix B: from eigenvectors of G to directions in the input space.
template <class T>
Matrix<double> combine(const Matrix<double>& b, const CentredRows<T>& a, int threads);

/// A itself, N×d.
template <class T>
Matrix<double> dense(const CentredRows<T>& a, int threads);

/// Σ w (x − m)² for each column of A, unscaled.
template <class T>
Vector<double> column_scatter(const CentredRows<T>& a, int threads);

}  // namespace mercer
