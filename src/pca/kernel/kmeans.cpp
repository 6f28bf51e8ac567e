#include "pca/kernel/kmeans.hpp"

#include "core/parallel.hpp"
#include "linalg/blas.hpp"

#include <algorithm>
#include <vector>

namespace mercer {

namespace {
constexpr int rounds = 10;
constexpr Index rows_together = 256;
}  // namespace

Matrix<double> cluster_centres(const Matrix<double>& rows, Index k, int threads) {
  const Index n = rows.rows(), d = rows.cols();
  Matrix<double> centres = rows.topRows(k);
  std::vector<Index> nearest(static_cast<std::size_t>(n), -1);
  const BlasThreads one(1);
  for (int round = 0; round < rounds; ++round) {
    // ‖x − c‖² = ‖x‖² − 2(x·c − ‖c‖²/2): the nearest has the largest difference.
    const Vector<double> halves = 0.5 * centres.rowwise().squaredNorm();
    parallel_for((n + rows_together - 1) / rows_together, threads, [&](Index part) {
      const Index i = part * rows_together, count = std::min(rows_together, n - i);
      Matrix<double> products(count, k);
      multiply_transposed(rows.row(i).data(), count, d, d, centres.data(), k, d, products.data(),
                          k);
      for (Index r = 0; r < count; ++r)
        (products.row(r) - halves.transpose()).maxCoeff(&nearest[static_cast<std::size_t>(i + r)]);
    });
    Matrix<double> sums = Matrix<double>::Zero(k, d);
    Vector<double> counts = Vector<double>::Zero(k);
    for (Index i = 0; i < n; ++i) {
      const Index c = nearest[static_cast<std::size_t>(i)];
      sums.row(c) += rows.row(i);
      counts[c] += 1;
    }
    for (Index c = 0; c < k; ++c)
      if (counts[c] > 0) centres.row(c) = sums.row(c) / counts[c];
  }
  return centres;
}

}  // namespace mercer
