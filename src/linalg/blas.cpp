#include "linalg/blas.hpp"

#include <cblas.h>

#include <mutex>
#include <set>

namespace mercer {

namespace {

std::mutex requests_mutex;
std::multiset<int> requests;
int callers_setting = 0;

blasint blas_size(Index n) { return static_cast<blasint>(n); }

void gemm(CBLAS_TRANSPOSE transpose_b, Index m, Index n, Index k, const double* a, Index lda,
          const double* b, Index ldb, double beta, double* c, Index ldc) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, transpose_b, blas_size(m), blas_size(n), blas_size(k),
              1.0, a, blas_size(lda), b, blas_size(ldb), beta, c, blas_size(ldc));
}

void gemm(CBLAS_TRANSPOSE transpose_b, Index m, Index n, Index k, const float* a, Index lda,
          const float* b, Index ldb, float beta, float* c, Index ldc) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, transpose_b, blas_size(m), blas_size(n), blas_size(k),
              1.0F, a, blas_size(lda), b, blas_size(ldb), beta, c, blas_size(ldc));
}

}  // namespace

BlasThreads::BlasThreads(int threads) : threads_(threads) {
  const std::lock_guard lock(requests_mutex);
  if (requests.empty()) callers_setting = openblas_get_num_threads();
  requests.insert(threads_);
  openblas_set_num_threads(*requests.begin());
}

BlasThreads::~BlasThreads() {
  const std::lock_guard lock(requests_mutex);
  requests.erase(requests.find(threads_));
  openblas_set_num_threads(requests.empty() ? callers_setting : *requests.begin());
}

void add_inner_products(const double* a, Index n, Index d, Index stride, Matrix<double>& c) {
  add_inner_products(a, n, d, stride, c.data(), c.cols());
}

void add_inner_products(const double* a, Index n, Index d, Index stride, double* c,
                        Index c_stride) {
  cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, blas_size(d), blas_size(n), 1.0, a,
              blas_size(stride), 1.0, c, blas_size(c_stride));
}

void add_outer_products(const double* a, Index n, Index m, Index stride, double* c,
                        Index c_stride) {
  cblas_dsyrk(CblasRowMajor, CblasUpper, CblasNoTrans, blas_size(n), blas_size(m), 1.0, a,
              blas_size(stride), 1.0, c, blas_size(c_stride));
}

template <class T>
void multiply(const T* a, Index m, Index k, Index a_stride, const T* b, Index n, Index b_stride,
              T* c, Index c_stride, bool add) {
  gemm(CblasNoTrans, m, n, k, a, a_stride, b, b_stride, add ? T(1) : T(0), c, c_stride);
}

void multiply_tall(const double* a, Index n, Index m, Index a_stride, const double* b, Index k,
                   Index b_stride, double* c, Index c_stride, bool add) {
  cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, blas_size(m), blas_size(k), blas_size(n),
              1.0, a, blas_size(a_stride), b, blas_size(b_stride), add ? 1.0 : 0.0, c,
              blas_size(c_stride));
}

void times_triangular(double* x, Index n, Index x_stride, Triangular how, const double* l, Index m,
                      Index l_stride) {
  cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower,
              how == Triangular::inverse ? CblasNoTrans : CblasTrans, CblasNonUnit, blas_size(n),
              blas_size(m), 1.0, l, blas_size(l_stride), x, blas_size(x_stride));
}

template <class T>
void multiply_transposed(const T* a, Index m, Index k, Index a_stride, const T* b, Index n,
                         Index b_stride, T* c, Index c_stride, bool add) {
  gemm(CblasTrans, m, n, k, a, a_stride, b, b_stride, add ? T(1) : T(0), c, c_stride);
}

template void multiply(const float*, Index, Index, Index, const float*, Index, Index, float*, Index,
                       bool);
template void multiply(const double*, Index, Index, Index, const double*, Index, Index, double*,
                       Index, bool);
template void multiply_transposed(const float*, Index, Index, Index, const float*, Index, Index,
                                  float*, Index, bool);
template void multiply_transposed(const double*, Index, Index, Index, const double*, Index, Index,
                                  double*, Index, bool);

}  // namespace mercer
