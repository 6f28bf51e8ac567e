#include "simd/strip_products.hpp"

// This file is compiled once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/strip_products.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <algorithm>
#include <cassert>

HWY_BEFORE_NAMESPACE();
namespace mercer {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using StripTag = hn::CappedTag<double, 8>;
using StripLanes = hn::Vec<StripTag>;

constexpr Index strip_columns = 24;
/// Sums of so many rows and three vectors, three operands and a broadcast fit the registers.
constexpr int strip_tile = HWY_TARGET <= HWY_AVX3 && HWY_MAX_BYTES >= 64 ? 8 : 4;

/// R rows of C ± A·B, and three vectors of columns, of which `width` are in C.
template <int R, bool add>
HWY_INLINE HWY_ATTR void strip_sums(StripOperand a, const double* b, Index depth, double* c,
                                    Index c_stride, Index width) {
  const StripTag tag;
  const auto lanes = static_cast<Index>(hn::Lanes(tag));
  StripLanes s[R][3];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) s[r][0] = s[r][1] = s[r][2] = hn::Zero(tag);
  for (Index p = 0; p < depth; ++p, b += strip_columns, a.at += a.next) {
    const StripLanes b0 = hn::LoadU(tag, b), b1 = hn::LoadU(tag, b + lanes);
    const StripLanes b2 = hn::LoadU(tag, b + 2 * lanes);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      const StripLanes x = hn::Set(tag, a.at[r * a.row]);
      s[r][0] = hn::MulAdd(x, b0, s[r][0]);
      s[r][1] = hn::MulAdd(x, b1, s[r][1]);
      s[r][2] = hn::MulAdd(x, b2, s[r][2]);
    }
  }
  const auto joined = [](auto old, auto sum)
                          HWY_ATTR { return add ? hn::Add(old, sum) : hn::Sub(old, sum); };
  if (width >= 3 * lanes) {
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 3
      for (int v = 0; v < 3; ++v) {
        double* const to = c + r * c_stride + v * lanes;
        hn::StoreU(joined(hn::LoadU(tag, to), s[r][v]), tag, to);
      }
    return;
  }
  double sums[R * strip_columns];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 3
    for (int v = 0; v < 3; ++v) hn::StoreU(s[r][v], tag, sums + r * strip_columns + v * lanes);
  for (int r = 0; r < R; ++r)
    for (Index j = 0; j < width; ++j) {
      const double sum = sums[r * strip_columns + j];
      c[r * c_stride + j] = add ? c[r * c_stride + j] + sum : c[r * c_stride + j] - sum;
    }
}

/// n rows of C ± A·B and the columns of a strip, of which `width` are in C. Of an upper triangle,
/// row i of C is needed from column i − `below` on.
template <bool add>
HWY_ATTR void one_strip(StripOperand a, Index n, const double* b, Index depth, double* c,
                        Index c_stride, Index width, Index below) {
  const auto lanes = static_cast<Index>(hn::Lanes(StripTag()));
  for (Index j = 0; j < width; j += 3 * lanes) {
    const Index inside = std::min(3 * lanes, width - j), rows = std::min(n, below + j + inside);
    const auto from = [&](Index i) { return StripOperand{a.at + i * a.row, a.row, a.next}; };
    Index i = 0;
    for (; i + strip_tile <= rows; i += strip_tile)
      strip_sums<strip_tile, add>(from(i), b + j, depth, c + i * c_stride + j, c_stride, inside);
    for (; i < rows; ++i)
      strip_sums<1, add>(from(i), b + j, depth, c + i * c_stride + j, c_stride, inside);
  }
}

/// Columns of A side by side: entry i of all of them, then entry i + 1; zeros where there are fewer
/// than 24.
HWY_ATTR void copy_strip(const double* a, Index n, Index width, Index stride, double* out) {
  if (width < strip_columns) std::fill_n(out, n * strip_columns, 0.0);
  const StripTag tag;
  const auto lanes = static_cast<Index>(hn::Lanes(tag));
  for (Index i = 0; i < n; ++i, a += stride, out += strip_columns) {
    if (width == strip_columns)
      for (Index j = 0; j < strip_columns; j += lanes)
        hn::StoreU(hn::LoadU(tag, a + j), tag, out + j);
    else std::copy_n(a, width, out);
  }
}

HWY_ATTR void column_products(const double* a, Index n, Index d, Index a_stride, Index from,
                              Index count, double* c, Index c_stride) {
  alignas(64) double left[strip_rows_of_c * strip_depth];
  alignas(64) double right[strip_columns * strip_depth];
  const Index strips = (count + strip_columns - 1) / strip_columns;
  for (Index s = 0; s < strips; ++s)
    copy_strip(a + from + s * strip_columns, n, std::min(strip_columns, count - s * strip_columns),
               a_stride, left + s * strip_columns * strip_depth);
  for (Index j = from; j < d; j += strip_columns) {
    const Index width = std::min(strip_columns, d - j), s = (j - from) / strip_columns;
    // Those of the rows themselves are there, unless only some of their columns are.
    const bool there = j + width <= from + count;
    if (!there) copy_strip(a + j, n, width, a_stride, right);
    const double* b = there ? left + s * strip_columns * strip_depth : right;
    for (Index i = 0; i < count; i += strip_columns)
      one_strip<true>({left + i * strip_depth, 1, strip_columns},
                      std::min(strip_columns, count - i), b, n, c + (from + i) * c_stride + j,
                      c_stride, width, j - (from + i));
  }
}

template <bool add>
HWY_INLINE HWY_ATTR void row_products(StripOperand a, Index n, Index depth, StripOperand b, Index d,
                                      double* c, Index c_stride) {
  alignas(64) double strip[strip_columns * strip_depth];
  for (Index j = 0; j < d; j += strip_columns) {
    const Index width = std::min(strip_columns, d - j);
    const double* const from = b.at + j * b.row;
    if (b.row == 1) {
      copy_strip(from, depth, width, b.next, strip);
    } else {
      if (width < strip_columns) std::fill_n(strip, depth * strip_columns, 0.0);
      for (Index s = 0; s < width; ++s)
        for (Index p = 0; p < depth; ++p)
          strip[p * strip_columns + s] = from[s * b.row + p * b.next];
    }
    one_strip<add>(a, n, strip, depth, c + j, c_stride, width, n);
  }
}

HWY_ATTR void plus_row_products(StripOperand a, Index n, Index depth, StripOperand b, Index d,
                                double* c, Index c_stride) {
  row_products<true>(a, n, depth, b, d, c, c_stride);
}
HWY_ATTR void minus_row_products(StripOperand a, Index n, Index depth, StripOperand b, Index d,
                                 double* c, Index c_stride) {
  row_products<false>(a, n, depth, b, d, c, c_stride);
}

}  // namespace HWY_NAMESPACE
}  // namespace mercer
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer {

HWY_EXPORT(column_products);
HWY_EXPORT(plus_row_products);
HWY_EXPORT(minus_row_products);

void add_column_products(const double* a, Index n, Index d, Index a_stride, Index from, Index count,
                         double* c, Index c_stride) {
  assert(n <= strip_depth && count <= strip_rows_of_c);
  HWY_DYNAMIC_DISPATCH(column_products)(a, n, d, a_stride, from, count, c, c_stride);
}

void add_row_products(StripOperand a, Index n, Index depth, StripOperand b, Index d, double* c,
                      Index c_stride) {
  assert(depth <= strip_depth);
  HWY_DYNAMIC_DISPATCH(plus_row_products)(a, n, depth, b, d, c, c_stride);
}

void subtract_row_products(StripOperand a, Index n, Index depth, StripOperand b, Index d, double* c,
                           Index c_stride) {
  assert(depth <= strip_depth);
  HWY_DYNAMIC_DISPATCH(minus_row_products)(a, n, depth, b, d, c, c_stride);
}

}  // namespace mercer
#endif
