#include "solvers/tall.hpp"

#include "linalg/blas.hpp"
#include "simd/panel_products.hpp"

#include <algorithm>
#include <vector>

namespace mercer {

namespace {

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

std::vector<double> in_panels(const MatrixRef<double>& b) {
  const Index m = b.rows(), k = b.cols();
  std::vector<double> out(static_cast<std::size_t>(panel_count(k) * panel_width * m));
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < k; ++j)
      out[static_cast<std::size_t>((j / panel_width * m + i) * panel_width + j % panel_width)] =
          b(i, j);
  return out;
}

}  // namespace

void times_small(MatrixRef<double> a, MatrixRef<double> b, TallOut c, bool add) {
  const Index n = a.rows(), m = a.cols(), k = b.cols();
  if (k <= few_vectors)
    return few_times(a.data(), n, m, a.outerStride(), in_panels(b), k, c.data(), c.outerStride(),
                     add);
  multiply(a.data(), n, m, a.outerStride(), b.data(), k, b.outerStride(), c.data(), c.outerStride(),
           add);
}

void transposed_times(MatrixRef<double> a, MatrixRef<double> b, double* c) {
  const Index n = a.rows(), m = a.cols(), k = b.cols();
  if (k > few_vectors)
    return multiply_tall(a.data(), n, m, a.outerStride(), b.data(), k, b.outerStride(), c, k);
  const std::vector<double> panels =
      few_transposed(a.data(), n, m, a.outerStride(), b.data(), k, b.outerStride());
  for (Index j = 0; j < k; ++j)
    for (Index r = 0; r < m; ++r)
      c[r * k + j] = panels[static_cast<std::size_t>((j / panel_width * m + r) * panel_width +
                                                     j % panel_width)];
}

}  // namespace mercer
