#include "simd/symmetric_product.hpp"

// This file is compiled once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/symmetric_product.cpp"
#include <hwy/foreach_target.h>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mercer {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// A panel's row in registers: one vector or a few.
using Tag = hn::CappedTag<double, panel_width>;

/// Once a cache line: what the next rows will read. Tiles come from memory, and there is too
/// little arithmetic on them to hide its latency.
HWY_INLINE void prefetch_line(const double* row, Index j, Index ahead) {
  if (j % static_cast<Index>(64 / sizeof(double)) == 0) hwy::Prefetch(row + j + ahead);
}

// Rows of A at once, so that what is read of v_J and y_J is used several times: as many as leave
// all sums, both operands and a broadcast in 16 registers.

HWY_ATTR void four_rows_one_vector(const double* a, Index cols, Index stride, const double* v_rows,
                                   const double* v_cols, double* y_rows, double* y_cols) {
  const Tag tag;
  const double *a0 = a, *a1 = a + stride, *a2 = a1 + stride, *a3 = a2 + stride;
  const auto v0 = hn::LoadU(tag, v_rows), v1 = hn::LoadU(tag, v_rows + panel_width);
  const auto v2 = hn::LoadU(tag, v_rows + 2 * panel_width);
  const auto v3 = hn::LoadU(tag, v_rows + 3 * panel_width);
  auto s0 = hn::Zero(tag), s1 = s0, s2 = s0, s3 = s0;
  for (Index j = 0; j < cols; ++j) {
    for (const double* row : {a0, a1, a2, a3}) prefetch_line(row, j, 4 * stride);
    const auto v = hn::LoadU(tag, v_cols + j * panel_width);
    auto y = hn::LoadU(tag, y_cols + j * panel_width);
    const auto b0 = hn::Set(tag, a0[j]), b1 = hn::Set(tag, a1[j]);
    const auto b2 = hn::Set(tag, a2[j]), b3 = hn::Set(tag, a3[j]);
    s0 = hn::MulAdd(b0, v, s0);
    s1 = hn::MulAdd(b1, v, s1);
    s2 = hn::MulAdd(b2, v, s2);
    s3 = hn::MulAdd(b3, v, s3);
    y = hn::MulAdd(b0, v0, y);
    auto z = hn::Mul(b1, v1);
    y = hn::MulAdd(b2, v2, y);
    z = hn::MulAdd(b3, v3, z);
    hn::StoreU(hn::Add(y, z), tag, y_cols + j * panel_width);
  }
  hn::StoreU(hn::Add(s0, hn::LoadU(tag, y_rows)), tag, y_rows);
  double* const y1 = y_rows + panel_width;
  hn::StoreU(hn::Add(s1, hn::LoadU(tag, y1)), tag, y1);
  double* const y2 = y1 + panel_width;
  hn::StoreU(hn::Add(s2, hn::LoadU(tag, y2)), tag, y2);
  double* const y3 = y2 + panel_width;
  hn::StoreU(hn::Add(s3, hn::LoadU(tag, y3)), tag, y3);
}

HWY_ATTR void two_rows_two_vectors(const double* a, Index cols, Index stride, const double* v_rows,
                                   const double* v_cols, double* y_rows, double* y_cols) {
  const Tag tag;
  const Index half = panel_width / 2;
  const double *a0 = a, *a1 = a + stride;
  const auto v0 = hn::LoadU(tag, v_rows), w0 = hn::LoadU(tag, v_rows + half);
  const auto v1 = hn::LoadU(tag, v_rows + 2 * half), w1 = hn::LoadU(tag, v_rows + 3 * half);
  auto s0 = hn::Zero(tag), t0 = s0, s1 = s0, t1 = s0;
  for (Index j = 0; j < cols; ++j) {
    prefetch_line(a0, j, 2 * stride);
    prefetch_line(a1, j, 2 * stride);
    const double* const in = v_cols + j * panel_width;
    double* const out = y_cols + j * panel_width;
    const auto v = hn::LoadU(tag, in), w = hn::LoadU(tag, in + half);
    auto y = hn::LoadU(tag, out), z = hn::LoadU(tag, out + half);
    const auto b0 = hn::Set(tag, a0[j]), b1 = hn::Set(tag, a1[j]);
    s0 = hn::MulAdd(b0, v, s0);
    t0 = hn::MulAdd(b0, w, t0);
    s1 = hn::MulAdd(b1, v, s1);
    t1 = hn::MulAdd(b1, w, t1);
    y = hn::MulAdd(b0, v0, y);
    z = hn::MulAdd(b0, w0, z);
    y = hn::MulAdd(b1, v1, y);
    z = hn::MulAdd(b1, w1, z);
    hn::StoreU(y, tag, out);
    hn::StoreU(z, tag, out + half);
  }
  const auto add = [&](double* to, auto s)
                       HWY_ATTR { hn::StoreU(hn::Add(s, hn::LoadU(tag, to)), tag, to); };
  add(y_rows, s0);
  add(y_rows + half, t0);
  add(y_rows + 2 * half, s1);
  add(y_rows + 3 * half, t1);
}

/// One row, any vector length: the rows that are left, and machines with short vectors.
HWY_ATTR void one_row(const double* a, Index cols, const double* v_rows, const double* v_cols,
                      double* y_rows, double* y_cols) {
  const Tag tag;
  const auto lanes = static_cast<Index>(hn::Lanes(tag));
  for (Index c = 0; c < panel_width; c += lanes) {
    const auto v = hn::LoadU(tag, v_rows + c);
    auto s = hn::LoadU(tag, y_rows + c);
    for (Index j = 0; j < cols; ++j) {
      const auto b = hn::Set(tag, a[j]);
      double* const out = y_cols + j * panel_width + c;
      s = hn::MulAdd(b, hn::LoadU(tag, v_cols + j * panel_width + c), s);
      hn::StoreU(hn::MulAdd(b, v, hn::LoadU(tag, out)), tag, out);
    }
    hn::StoreU(s, tag, y_rows + c);
  }
}

HWY_ATTR void symmetric_product(const double* a, Index rows, Index cols, Index stride,
                                const double* v_rows, const double* v_cols, double* y_rows,
                                double* y_cols) {
  const auto lanes = static_cast<Index>(hn::Lanes(Tag()));
  const Index step = lanes == panel_width ? 4 : 2 * lanes == panel_width ? 2 : 1;
  Index i = 0;
  for (; step > 1 && i + step <= rows; i += step) {
    const auto run = step == 4 ? four_rows_one_vector : two_rows_two_vectors;
    run(a + i * stride, cols, stride, v_rows + i * panel_width, v_cols, y_rows + i * panel_width,
        y_cols);
  }
  for (; i < rows; ++i)
    one_row(a + i * stride, cols, v_rows + i * panel_width, v_cols, y_rows + i * panel_width,
            y_cols);
}

}  // namespace HWY_NAMESPACE
}  // namespace mercer
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer {

HWY_EXPORT(symmetric_product);

void add_symmetric_product(const double* a, Index rows, Index cols, Index stride,
                           const double* v_rows, const double* v_cols, double* y_rows,
                           double* y_cols) {
  HWY_DYNAMIC_DISPATCH(symmetric_product)(a, rows, cols, stride, v_rows, v_cols, y_rows, y_cols);
}

}  // namespace mercer
#endif
