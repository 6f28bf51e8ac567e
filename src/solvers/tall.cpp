#include "solvers/tall.hpp"

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "simd/panel_products.hpp"

#include <algorithm>
#include <vector>

namespace mercer {

namespace {

/// Rows that make a millisecond of work, more or less.
Index grain(Index m, Index k) {
  return std::max<Index>(1024, 4'000'000 / std::max<Index>(1, m * k));
}

/// Up to this many vectors rows are read in place, eight vectors at a time; for more of them
/// BLAS's packing is worth it.
constexpr Index few_vectors = 32;
/// Rows at a time, so that what they are multiplied to stays in the cache.
constexpr Index strip = 64;

Index panel_count(Index k) { return (k + panel_width - 1) / panel_width; }

/// Runs body(rows, first, count, padded): strips of A, the last one filled up with zeros to whole
/// tiles.
template <class Body>
void over_strips(const double* a, Index n, Index m, Index stride, Body&& body) {
  const Index whole = n / tile_rows * tile_rows;
  for (Index i = 0; i < whole; i += strip) {
    const Index count = std::min(strip, whole - i);
    body(a + i * stride, stride, i, count, count);
  }
  if (whole == n) return;
  Matrix<double> rest = Matrix<double>::Zero(tile_rows, m);
  for (Index r = whole; r < n; ++r) std::copy_n(a + r * stride, m, rest.row(r - whole).data());
  body(rest.data(), m, whole, n - whole, tile_rows);
}

/// C = AB or C += AB for few vectors; `panels` holds B.
void few_times(const double* a, Index n, Index m, Index a_stride, const std::vector<double>& panels,
               Index k, double* c, Index c_stride, bool add) {
  double y[strip * panel_width];
  over_strips(a, n, m, a_stride,
              [&](const double* rows, Index stride, Index first, Index count, Index padded) {
                for (Index p = 0; p < k; p += panel_width) {
                  times_panel(rows, padded, m, stride, panels.data() + p * m, y);
                  const Index width = std::min(panel_width, k - p);
                  for (Index r = 0; r < count; ++r) {
                    double* const to = c + (first + r) * c_stride + p;
                    const double* const from = y + r * panel_width;
                    for (Index j = 0; j < width; ++j) to[j] = (add ? to[j] : 0.0) + from[j];
                  }
                }
              });
}

/// Panels of AᵀB for few vectors.
std::vector<double> few_transposed(const double* a, Index n, Index m, Index a_stride,
                                   const double* b, Index k, Index b_stride) {
  std::vector<double> sums(static_cast<std::size_t>(panel_count(k) * panel_width * m));
  double y[strip * panel_width];
  over_strips(a, n, m, a_stride,
              [&](const double* rows, Index stride, Index first, Index count, Index padded) {
                for (Index p = 0; p < k; p += panel_width) {
                  const Index width = std::min(panel_width, k - p);
                  std::fill_n(y, padded * panel_width, 0.0);
                  for (Index r = 0; r < count; ++r)
                    std::copy_n(b + (first + r) * b_stride + p, width, y + r * panel_width);
                  add_transposed_times_panel(rows, padded, m, stride, y, sums.data() + p * m);
                }
              });
  return sums;
}

std::vector<double> in_panels(const double* b, Index m, Index k, Index b_stride) {
  std::vector<double> out(static_cast<std::size_t>(panel_count(k) * panel_width * m));
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < k; ++j)
      out[static_cast<std::size_t>((j / panel_width * m + i) * panel_width + j % panel_width)] =
          b[i * b_stride + j];
  return out;
}

}  // namespace

void tall_times_small(const double* a, Index n, Index m, Index a_stride, const double* b, Index k,
                      Index b_stride, double* c, Index c_stride, bool add, int threads) {
  const BlasThreads one(1);
  const Index rows = grain(m, k);
  const bool few = k <= few_vectors;
  const std::vector<double> panels = few ? in_panels(b, m, k, b_stride) : std::vector<double>();
  parallel_for((n + rows - 1) / rows, threads, [&](Index part) {
    const Index i = part * rows;
    if (few)
      return few_times(a + i * a_stride, std::min(rows, n - i), m, a_stride, panels, k,
                       c + i * c_stride, c_stride, add);
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
    if (k <= few_vectors) {
      const std::vector<double> panels = few_transposed(a + i * a_stride, std::min(rows, n - i), m,
                                                        a_stride, b + i * b_stride, k, b_stride);
      for (Index j = 0; j < k; ++j)
        for (Index r = 0; r < m; ++r)
          sum(r, j) = panels[static_cast<std::size_t>((j / panel_width * m + r) * panel_width +
                                                      j % panel_width)];
      return;
    }
    multiply_tall(a + i * a_stride, std::min(rows, n - i), m, a_stride, b + i * b_stride, k,
                  b_stride, sum.data(), k);
  });
  for (Index part = 1; part < parts; ++part) sums[0] += sums[static_cast<std::size_t>(part)];
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < k; ++j) c[i * c_stride + j] = sums[0](i, j);
}

}  // namespace mercer
