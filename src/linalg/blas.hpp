#pragma once
// The level-3 operations the library needs, on row-major matrices. Only this module names BLAS.

#include <mercer/matrix.hpp>

namespace mercer {

/// How many threads BLAS may use while this lives. OpenBLAS has one such number for the whole
/// process, so the smallest of all living requests holds, and the caller's own setting comes back
/// with the end of the last one.
///
/// Code that runs its own threads holds `BlasThreads(1)` around them: BLAS threads and ours never
/// multiply.
class BlasThreads {
 public:
  explicit BlasThreads(int threads);
  ~BlasThreads();
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

 private:
  int threads_;
};

/// C += AᵀA, upper triangle; A is n×d with rows `stride` apart, C d×d.
void add_inner_products(const double* a, Index n, Index d, Index stride, Matrix<double>& c);

/// The same into a part of a larger matrix, whose rows lie `c_stride` apart.
void add_inner_products(const double* a, Index n, Index d, Index stride, double* c, Index c_stride);

/// C += AAᵀ, upper triangle; A is n×m with rows `stride` apart, C n×n.
void add_outer_products(const double* a, Index n, Index m, Index stride, double* c, Index c_stride);

/// C = AB (m×k times k×n), or C += AB.
template <class T>
void multiply(const T* a, Index m, Index k, Index a_stride, const T* b, Index n, Index b_stride,
              T* c, Index c_stride, bool add = false);

/// C = AᵀB, or C += AᵀB; A is n×m, B n×k, C m×k: both tall, as blocks of vectors are.
void multiply_tall(const double* a, Index n, Index m, Index a_stride, const double* b, Index k,
                   Index b_stride, double* c, Index c_stride, bool add = false);

/// C = ABᵀ (m×k times (n×k)ᵀ), or C += ABᵀ.
template <class T>
void multiply_transposed(const T* a, Index m, Index k, Index a_stride, const T* b, Index n,
                         Index b_stride, T* c, Index c_stride, bool add = false);

/// X = X L⁻ᵀ (or X L⁻¹), for a lower triangular L, m×m, and X n×m.
enum class Triangular { inverse, inverse_transposed };
void times_triangular(double* x, Index n, Index x_stride, Triangular how, const double* l, Index m,
                      Index l_stride);

}  // namespace mercer
