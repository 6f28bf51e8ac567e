#include "solvers/tall.hpp"

#include "core/parallel.hpp"
#include "linalg/blas.hpp"

#include <algorithm>
#include <vector>

namespace mercer {

namespace {

/// Rows that make a millisecond of work, more or less.
Index grain(Index m, Index k) {
  return std::max<Index>(1024, 4'000'000 / std::max<Index>(1, m * k));
}

}  // namespace

void tall_times_small(const double* a, Index n, Index m, Index a_stride, const double* b, Index k,
                      Index b_stride, double* c, Index c_stride, bool add, int threads) {
  const BlasThreads one(1);
  const Index rows = grain(m, k);
  parallel_for((n + rows - 1) / rows, threads, [&](Index part) {
    const Index i = part * rows;
    multiply(a + i * a_stride, std::min(rows, n - i), m, a_stride, b, k, b_stride, c + i * c_stride,
             c_stride, add);
  });
}

void tall_times_tall(const double* a, Index n, Index m, Index a_stride, const double* b, Index k,
                     Index b_stride, double* c, Index c_stride, int threads) {
  const BlasThreads one(1);
  // Sums of parts, added in order; at most eight, so that they cost little memory.
  const Index rows = std::max(grain(m, k), (n + 7) / 8);
  const Index parts = std::max<Index>(1, (n + rows - 1) / rows);
  std::vector<Matrix<double>> sums(static_cast<std::size_t>(parts));
  parallel_for(parts, threads, [&](Index part) {
    const Index i = part * rows;
    Matrix<double>& sum = sums[static_cast<std::size_t>(part)];
    sum.resize(m, k);
    multiply_tall(a + i * a_stride, std::min(rows, n - i), m, a_stride, b + i * b_stride, k,
                  b_stride, sum.data(), k);
  });
  for (Index part = 1; part < parts; ++part) sums[0] += sums[static_cast<std::size_t>(part)];
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < k; ++j) c[i * c_stride + j] = sums[0](i, j);
}

}  // namespace mercer
