#include "linalg/qr.hpp"

#include "core/require.hpp"

#include <algorithm>
#include <vector>

extern "C" {
void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work,
             const int* lwork, int* info);
void dorgqr_(const int* m, const int* n, const int* k, double* a, const int* lda, const double* tau,
             double* work, const int* lwork, int* info);
}

namespace mercer {

void orthonormalise_rows(Matrix<double>& a) {
  require(a.rows() <= a.cols() && a.cols() <= 2147483647, Errc::bad_option,
          "{} rows of {} numbers cannot be orthonormal", a.rows(), a.cols());
  if (a.rows() == 0) return;
  // Rows of a row-major matrix are columns of its column-major reading.
  const int m = static_cast<int>(a.cols()), n = static_cast<int>(a.rows()), query = -1;
  std::vector<double> scalars(static_cast<std::size_t>(n));
  double factor_size = 0, form_size = 0;
  int info = 0;
  dgeqrf_(&m, &n, a.data(), &m, scalars.data(), &factor_size, &query, &info);
  dorgqr_(&m, &n, &n, a.data(), &m, scalars.data(), &form_size, &query, &info);
  std::vector<double> work(static_cast<std::size_t>(std::max(factor_size, form_size)));
  const int size = static_cast<int>(work.size());
  dgeqrf_(&m, &n, a.data(), &m, scalars.data(), work.data(), &size, &info);
  dorgqr_(&m, &n, &n, a.data(), &m, scalars.data(), work.data(), &size, &info);
}

}  // namespace mercer
