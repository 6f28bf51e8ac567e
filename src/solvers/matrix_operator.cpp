#include <mercer/eigs.hpp>

#include "core/parallel.hpp"
#include "core/require.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace mercer {

namespace {

/// Rows per task: fixed, so that the bits of a product do not depend on the number of threads.
constexpr Index rows_per_task = 128;

/// Calls visit(j, a_ij) for the stored entries of a row.
template <class Visit>
void for_entries(const Rows<double>& a, Index i, const Visit& visit) {
  if (!a.sparse()) {
    for (Index j = 0; j < a.cols(); ++j) visit(j, a.row(i)[j]);
    return;
  }
  const CsrView<double>& csr = a.csr();
  for (std::int64_t e = csr.offsets[i]; e < csr.offsets[i + 1]; ++e)
    visit(csr.columns[e], csr.values[e]);
}

double entry(const Rows<double>& a, Index i, Index j) {
  if (!a.sparse()) return a.row(i)[j];
  const CsrView<double>& csr = a.csr();
  const std::int32_t* end = csr.columns + csr.offsets[i + 1];
  const std::int32_t* at = std::lower_bound(csr.columns + csr.offsets[i], end, j);
  return at != end && *at == j ? csr.values[at - csr.columns] : 0;
}

}  // namespace

MatrixOperator::MatrixOperator(const Rows<double>& matrix, int threads)
    : matrix_(matrix), threads_(thread_count(threads)) {
  const Index n = matrix.rows();
  require(n > 0 && n == matrix.cols(), Errc::bad_data,
          "eigenvalues are those of a square matrix, this one is {}×{}", n, matrix.cols());
  double largest = 0;
  for (Index i = 0; i < n; ++i)
    for_entries(matrix, i, [&](Index j, double a) {
      require(std::isfinite(a), Errc::bad_data, "row {}, column {} is {}, not a finite number",
              i + 1, j + 1, a);
      largest = std::max(largest, std::abs(a));
    });
  require(largest == 0 || largest >= std::numeric_limits<double>::min(), Errc::bad_data,
          "the largest entry of the matrix is {}, which is subnormal; scale the matrix", largest);
  // Whoever computed the matrix may have rounded both halves separately.
  const double allowed = 1e3 * std::numeric_limits<double>::epsilon() * largest;
  for (Index i = 0; i < n; ++i)
    for_entries(matrix, i, [&](Index j, double a) {
      if (j <= i && !matrix.sparse()) return;  // a sparse matrix may have one of a pair only
      const double other = entry(matrix, j, i);
      require(std::abs(a - other) <= allowed, Errc::bad_data,
              "the matrix is not symmetric: row {}, column {} is {}, row {}, column {} is {}",
              i + 1, j + 1, a, j + 1, i + 1, other);
    });
}

void MatrixOperator::apply(const Matrix<double>& v, Matrix<double>& out) const {
  const Index n = matrix_.rows();
  parallel_for((n + rows_per_task - 1) / rows_per_task, threads_, [&](Index task) {
    const Index first = task * rows_per_task, count = std::min(rows_per_task, n - first);
    if (!matrix_.sparse()) {
      out.middleRows(first, count).noalias() = matrix_.middle(first, count).dense() * v;
      return;
    }
    for (Index i = first; i < first + count; ++i) {
      out.row(i).setZero();
      for_entries(matrix_, i, [&](Index j, double a) { out.row(i) += a * v.row(j); });
    }
  });
}

double MatrixOperator::trace() const {
  double sum = 0;
  for (Index i = 0; i < size(); ++i) sum += entry(matrix_, i, i);
  return sum;
}

}  // namespace mercer
