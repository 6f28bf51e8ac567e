#include "linalg/blocked_triangular.hpp"

#include "core/require.hpp"
#include "linalg/blas.hpp"
#include "simd/strip_products.hpp"

#include <algorithm>
#include <cmath>

extern "C" {
void dpstrf_(const char* uplo, const int* n, double* a, const int* lda, int* pivots, int* rank,
             const double* tolerance, double* work, int* info, std::size_t);
}

namespace mercer {

double panel_error(Index m, Index more) {
  const Index in_panels = std::min(m, panel_columns + (m + panel_columns - 1) / panel_columns);
  const double nu = static_cast<double>(in_panels + more) * 0x1p-53;
  return nu / (1 - nu);
}

void solve_in_panels(double* x, Index n, Index x_stride, const double* l, Index m, Index l_stride) {
  for (Index from = 0; from < m; from = next_panel(from)) {
    const Index after = std::min(m, next_panel(from)), width = after - from;
    times_triangular(x + from, n, x_stride, Triangular::inverse_transposed,
                     l + from * l_stride + from, width, l_stride);
    if (after == m) return;
    subtract_row_products({x + from, x_stride, 1}, n, width,
                          {l + after * l_stride + from, l_stride, 1}, m - after, x + after,
                          x_stride);
  }
}

PivotedCholesky pivoted_cholesky(Matrix<double>& a, double stop) {
  require(a.rows() <= 2147483647, Errc::bad_option,
          "a matrix dimension of {} is too large for LAPACK", a.rows());
  if (a.rows() == 0) return {0, {}};  // LAPACK has no such matrix
  const BlasThreads one(1);           // the same bits for any number of threads
  const int n = static_cast<int>(a.rows());
  std::vector<int> pivots(static_cast<std::size_t>(n));
  std::vector<double> work(2 * static_cast<std::size_t>(n));
  int rank = 0, info = 0;
  // Our lower triangle is the upper one of LAPACK's columns: UᵀU with U = Lᵀ.
  dpstrf_("U", &n, a.data(), &n, pivots.data(), &rank, &stop, work.data(), &info, 1);
  require(info >= 0, Errc::not_converged, "pivoted Cholesky failed (pstrf, info {})", info);
  PivotedCholesky out{rank, {}};
  out.order.reserve(pivots.size());
  for (const int pivot : pivots) out.order.push_back(pivot - 1);
  return out;
}

Matrix<double> factor_error(const Eigen::Ref<const Matrix<double>>& l, const Matrix<double>& a,
                            SharedReporter& report) {
  // 19 digits of the largest entry of its row: products have 38, and 2¹⁵ of them fit a double.
  constexpr int digits = 19;
  const BlasThreads one(1);
  const Index m = l.rows();
  require(m <= 32768, Errc::bad_option, "{} landmarks exceed the range of the error bounds", m);
  Matrix<double> leading = l.triangularView<Eigen::Lower>(), rest(m, m);
  for (Index i = 0; i < m; ++i) {
    const double largest = leading.row(i).head(i + 1).cwiseAbs().maxCoeff();
    // Adding and taking off 1.5·2⁵²⁻¹⁹ times a power of two above `largest` rounds to the digits.
    const double round = largest > 0 ? std::ldexp(1.5, std::ilogb(largest) + 1 + 52 - digits) : 0;
    for (Index j = 0; j < m; ++j) {
      const double value = leading(i, j);
      volatile double shifted = value + round;  // not to be simplified
      leading(i, j) = j <= i ? shifted - round : 0;
      rest(i, j) = value - leading(i, j);
    }
  }
  // LLᵀ = HHᵀ + P + Pᵀ with P = (H + G/2)Gᵀ.
  Matrix<double> out(m, m), product(m, m);
  const auto multiply_by = [&](const Matrix<double>& right, Matrix<double>& into) {
    in_equal_pieces(m, report, [&](Index from, Index rows) {
      multiply_transposed(leading.data() + from * m, rows, m, m, right.data(), m, m,
                          into.data() + from * m, m);
    });
  };
  multiply_by(leading, out);
  leading += 0.5 * rest;
  multiply_by(rest, product);
  out -= a;
  out += product;
  out += product.transpose();
  return out;
}

}  // namespace mercer
