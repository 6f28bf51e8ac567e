#include "linalg/stacked_qr.hpp"

#include "core/require.hpp"

#include <algorithm>
#include <vector>

extern "C" {
void dtplqt_(const int* m, const int* n, const int* l, const int* mb, double* a, const int* lda,
             double* b, const int* ldb, double* t, const int* ldt, double* work, int* info);
}

namespace mercer {

namespace {

/// A row-major R with rows below reads as a column-major (L, B) with columns beside it, whose LQ
/// factorisation has L = Rᵀ: R comes back row-major, in place. `trapezoid`: B is lower triangular.
void factor_beside(Matrix<double>& r, double* b, Index count, Index trapezoid) {
  const Index columns = r.cols();
  if (columns == 0 || count == 0) return;
  require(columns <= 2147483647 && count <= 2147483647, Errc::bad_option,
          "a matrix dimension of {} is too large for LAPACK", std::max(columns, count));
  const int d = static_cast<int>(columns), n = static_cast<int>(count);
  const int l = static_cast<int>(trapezoid), width = std::min(32, d);
  std::vector<double> t(static_cast<std::size_t>(width) * static_cast<std::size_t>(d));
  std::vector<double> work(static_cast<std::size_t>(width) *
                           static_cast<std::size_t>(std::max(n, d)));
  int info = 0;
  dtplqt_(&d, &n, &l, &width, r.data(), &d, b, &d, t.data(), &width, work.data(), &info);
  require(info == 0, Errc::not_converged, "QR of {} rows failed (tplqt, info {})", n, info);
}

}  // namespace

void stack_rows(Matrix<double>& r, double* rows, Index count) { factor_beside(r, rows, count, 0); }

void stack_triangle(Matrix<double>& r, Matrix<double>& other) {
  factor_beside(r, other.data(), other.rows(), other.rows());
}

}  // namespace mercer
