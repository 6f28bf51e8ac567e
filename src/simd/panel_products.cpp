#include "simd/panel_products.hpp"

// This file is compiled once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/panel_products.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <algorithm>
#include <cstdlib>
#include <new>

HWY_BEFORE_NAMESPACE();
namespace mercer {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, 8>;
using Lanes = hn::Vec<Tag>;

/// Columns whose part of a panel stays in the cache while all rows go by.
constexpr Index chunk = 2048;

// y = Xv, or y += Xv, for eight rows: a register of sums each.
HWY_ATTR inline void tile_times_panel(const double* x, Index stride, Index cols, const double* v,
                                      bool first, double* y) {
  const Tag tag;
  const auto lanes = static_cast<Index>(hn::Lanes(tag));
  for (Index c = 0; c < panel_width; c += lanes) {
    const auto begin = [&](Index row) HWY_ATTR {
      return first ? hn::Zero(tag) : hn::LoadU(tag, y + row * panel_width + c);
    };
    Lanes s0 = begin(0), s1 = begin(1), s2 = begin(2), s3 = begin(3);
    Lanes s4 = begin(4), s5 = begin(5), s6 = begin(6), s7 = begin(7);
    const double* from = v + c;
    for (Index j = 0; j < cols; ++j, from += panel_width) {
      const Lanes a = hn::LoadU(tag, from);
      const double* const p = x + j;
      s0 = hn::MulAdd(hn::Set(tag, p[0]), a, s0);
      s1 = hn::MulAdd(hn::Set(tag, p[stride]), a, s1);
      s2 = hn::MulAdd(hn::Set(tag, p[2 * stride]), a, s2);
      s3 = hn::MulAdd(hn::Set(tag, p[3 * stride]), a, s3);
      s4 = hn::MulAdd(hn::Set(tag, p[4 * stride]), a, s4);
      s5 = hn::MulAdd(hn::Set(tag, p[5 * stride]), a, s5);
      s6 = hn::MulAdd(hn::Set(tag, p[6 * stride]), a, s6);
      s7 = hn::MulAdd(hn::Set(tag, p[7 * stride]), a, s7);
    }
    const auto put = [&](Lanes s, Index row)
                         HWY_ATTR { hn::StoreU(s, tag, y + row * panel_width + c); };
    put(s0, 0), put(s1, 1), put(s2, 2), put(s3, 3);
    put(s4, 4), put(s5, 5), put(s6, 6), put(s7, 7);
  }
}

// z += Xᵀy for eight rows: their y stay in registers where there are enough of them.
HWY_ATTR inline void add_transposed(const double* x, Index stride, Index cols, const double* y,
                                    double* z) {
  const Tag tag;
  const auto lanes = static_cast<Index>(hn::Lanes(tag));
  for (Index c = 0; c < panel_width; c += lanes) {
    const auto load = [&](Index row) HWY_ATTR { return hn::LoadU(tag, y + row * panel_width + c); };
    const Lanes y0 = load(0), y1 = load(1), y2 = load(2), y3 = load(3);
    const Lanes y4 = load(4), y5 = load(5), y6 = load(6), y7 = load(7);
    double* to = z + c;
    for (Index j = 0; j < cols; ++j, to += panel_width) {
      const double* const p = x + j;
      Lanes s = hn::MulAdd(hn::Set(tag, p[0]), y0, hn::LoadU(tag, to));
      Lanes t = hn::Mul(hn::Set(tag, p[stride]), y1);
      s = hn::MulAdd(hn::Set(tag, p[2 * stride]), y2, s);
      t = hn::MulAdd(hn::Set(tag, p[3 * stride]), y3, t);
      s = hn::MulAdd(hn::Set(tag, p[4 * stride]), y4, s);
      t = hn::MulAdd(hn::Set(tag, p[5 * stride]), y5, t);
      s = hn::MulAdd(hn::Set(tag, p[6 * stride]), y6, s);
      t = hn::MulAdd(hn::Set(tag, p[7 * stride]), y7, t);
      hn::StoreU(hn::Add(s, t), tag, to);
    }
  }
}

HWY_ATTR void rows_times(const double* x, Index rows, Index cols, Index stride, const double* v,
                         double* y, bool add) {
  for (Index j = 0; j < cols; j += chunk)
    for (Index i = 0; i < rows; i += tile_rows)
      tile_times_panel(x + i * stride + j, stride, std::min(chunk, cols - j), v + j * panel_width,
                       j == 0 && !add, y + i * panel_width);
}

HWY_ATTR void rows_transposed(const double* x, Index rows, Index cols, Index stride,
                              const double* y, double* z) {
  for (Index j = 0; j < cols; j += chunk)
    for (Index i = 0; i < rows; i += tile_rows)
      add_transposed(x + i * stride + j, stride, std::min(chunk, cols - j), y + i * panel_width,
                     z + j * panel_width);
}

// One row and `panels` panels, `apart` numbers from one to the next: its entries are read once for
// all of them, and each line of a panel is touched once.
template <int panels, class T>
HWY_INLINE HWY_ATTR void sparse_row(const T* values, const std::int32_t* columns, Index entries,
                                    double weight, const double* v, double* z, Index apart) {
  constexpr int width = panel_width / HWY_MIN(HWY_LANES(double), 8), all = panels * width;
  const Tag tag;
  const auto lanes = static_cast<Index>(hn::Lanes(tag));
  const auto at = [&](int r) { return r / width * apart + r % width * lanes; };
  Lanes s[all], t[all];  // two sums: each waits for its last addition
  for (int r = 0; r < all; ++r) s[r] = t[r] = hn::Zero(tag);
  Index e = 0;
  for (; e + 2 <= entries; e += 2) {
    const Lanes x = hn::Set(tag, static_cast<double>(values[e]));
    const Lanes y = hn::Set(tag, static_cast<double>(values[e + 1]));
    const double* const from = v + columns[e] * panel_width;
    const double* const next = v + columns[e + 1] * panel_width;
    for (int r = 0; r < all; ++r) {
      s[r] = hn::MulAdd(x, hn::LoadU(tag, from + at(r)), s[r]);
      t[r] = hn::MulAdd(y, hn::LoadU(tag, next + at(r)), t[r]);
    }
  }
  if (e < entries) {
    const Lanes x = hn::Set(tag, static_cast<double>(values[e]));
    const double* const from = v + columns[e] * panel_width;
    for (int r = 0; r < all; ++r) s[r] = hn::MulAdd(x, hn::LoadU(tag, from + at(r)), s[r]);
  }
  for (int r = 0; r < all; ++r) s[r] = hn::Mul(hn::Set(tag, weight), hn::Add(s[r], t[r]));
  for (e = 0; e < entries; ++e) {
    double* const to = z + columns[e] * panel_width;
    const Lanes x = hn::Set(tag, static_cast<double>(values[e]));
    for (int r = 0; r < all; ++r)
      hn::StoreU(hn::MulAdd(x, s[r], hn::LoadU(tag, to + at(r))), tag, to + at(r));
  }
}

template <int panels, class T>
HWY_INLINE HWY_ATTR void sparse_rows(const SparsePanels<T>& p, const double* v, double* z) {
  for (Index i = 0; i < p.rows; ++i)
    sparse_row<panels>(p.values + p.offsets[i], p.columns + p.offsets[i],
                       p.offsets[i + 1] - p.offsets[i], p.weights ? p.weights[i] : 1.0, v, z,
                       p.apart);
}

template <class T>
HWY_INLINE HWY_ATTR void sparse_panels(const SparsePanels<T>& p, const double* v, double* z) {
  Index done = 0;
  for (; done + 2 <= p.panels; done += 2) sparse_rows<2>(p, v + done * p.apart, z + done * p.apart);
  if (done < p.panels) sparse_rows<1>(p, v + done * p.apart, z + done * p.apart);
}

HWY_ATTR void sparse_floats(const SparsePanels<float>& p, const double* v, double* z) {
  sparse_panels(p, v, z);
}
HWY_ATTR void sparse_doubles(const SparsePanels<double>& p, const double* v, double* z) {
  sparse_panels(p, v, z);
}

}  // namespace HWY_NAMESPACE
}  // namespace mercer
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer {

HWY_EXPORT(rows_times);
HWY_EXPORT(rows_transposed);
HWY_EXPORT(sparse_floats);
HWY_EXPORT(sparse_doubles);

void times_panel(const double* x, Index rows, Index cols, Index stride, const double* v, double* y,
                 bool add) {
  HWY_DYNAMIC_DISPATCH(rows_times)(x, rows, cols, stride, v, y, add);
}

void add_transposed_times_panel(const double* x, Index rows, Index cols, Index stride,
                                const double* y, double* z) {
  HWY_DYNAMIC_DISPATCH(rows_transposed)(x, rows, cols, stride, y, z);
}

template <>
void add_sparse_products(const SparsePanels<float>& p, const double* v, double* z) {
  HWY_DYNAMIC_DISPATCH(sparse_floats)(p, v, z);
}

template <>
void add_sparse_products(const SparsePanels<double>& p, const double* v, double* z) {
  HWY_DYNAMIC_DISPATCH(sparse_doubles)(p, v, z);
}

PanelBuffer::PanelBuffer(Index entries) : entries_(entries) {
  constexpr std::size_t line = panel_width * sizeof(double);
  const std::size_t bytes = line * static_cast<std::size_t>(std::max<Index>(1, entries));
  data_.reset(static_cast<double*>(std::aligned_alloc(line, bytes)));
  if (!data_) throw std::bad_alloc();
  std::fill_n(data_.get(), bytes / sizeof(double), 0.0);
}

void PanelBuffer::Free::operator()(double* data) const { std::free(data); }

}  // namespace mercer
#endif
