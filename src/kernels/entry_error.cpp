#include "kernels/entry_error.hpp"

#include "kernels/node.hpp"
#include "kernels/products.hpp"
#include "kernels/wide_rows.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace mercer {

namespace {

constexpr Index block_rows = 256;
/// For the rounding of the lengths themselves, and of the bounds.
constexpr double slack = 1.0001;

/// Calls take(rows as doubles) for all rows, some at a time.
template <class T, class Take>
void each_block(const Rows<T>& rows, Take take) {
  for (Index first = 0; first < rows.rows(); first += block_rows) {
    const WideRows<T> wide(rows.middle(first, std::min(block_rows, rows.rows() - first)));
    take(wide.rows());
  }
}

/// Σ|x_j| of every stored row.
Vector<double> absolute_sums(const Rows<double>& x) {
  if (!x.sparse()) return x.dense().cwiseAbs().rowwise().sum();
  Vector<double> sums(x.rows());
  const CsrView<double>& csr = x.csr();
  for (Index i = 0; i < x.rows(); ++i)
    sums[i] = Eigen::Map<const Vector<double>>(csr.values + csr.offsets[i],
                                               csr.offsets[i + 1] - csr.offsets[i])
                  .cwiseAbs()
                  .sum();
  return sums;
}

double longest_row(const Rows<double>& x) {
  std::int64_t most = 0;
  for (Index i = 0; i < x.rows(); ++i)
    most = std::max(most, x.csr().offsets[i + 1] - x.csr().offsets[i]);
  return static_cast<double>(most);
}

/// relative and diagonal parts as an absolute one.
double all_absolute(const ValueBound& v) {
  return (v.error.relative + v.error.diagonal) * v.largest + v.error.absolute;
}

}  // namespace

template <class T>
RowExtent extent_of(const Rows<T>& rows) {
  RowExtent e;
  e.entries = rows.sparse() ? 0 : static_cast<double>(rows.cols());
  e.least_square = std::numeric_limits<double>::infinity();
  Eigen::RowVectorXd centre = Eigen::RowVectorXd::Zero(rows.sparse() ? 0 : rows.cols());
  each_block(rows, [&](const Rows<double>& x) {
    if (x.sparse()) e.entries = std::max(e.entries, longest_row(x));
    else centre += x.dense().colwise().sum() / static_cast<double>(rows.rows());
    const Vector<double> norms = squared_norms(x);
    e.square = std::max(e.square, norms.maxCoeff());
    e.least_square = std::min(e.least_square, norms.minCoeff());
    e.sum = std::max(e.sum, absolute_sums(x).maxCoeff());
  });
  // Two sparse rows together have up to as many entries as both.
  if (rows.sparse()) e.entries = std::min(2 * e.entries, static_cast<double>(rows.cols()));
  if (rows.sparse()) {
    e.squared_radius = e.square;
    e.absolute_radius = e.sum;
  } else {
    each_block(rows, [&](const Rows<double>& x) {
      const Matrix<double> about = x.dense().rowwise() - centre;
      e.squared_radius = std::max(e.squared_radius, about.rowwise().squaredNorm().maxCoeff());
      e.absolute_radius = std::max(e.absolute_radius, about.cwiseAbs().rowwise().sum().maxCoeff());
    });
  }
  e.square *= slack;
  e.least_square /= slack;
  e.sum *= slack;
  e.squared_radius *= slack;
  e.absolute_radius *= slack;
  e.largest_diagonal = [rows](const KernelNode& node) {
    double largest = 0;
    each_block(rows, [&](const Rows<double>& x) {
      largest = std::max(largest, node.diagonal(x).cwiseAbs().maxCoeff());
    });
    return largest;
  };
  return e;
}

template <class T>
ValueBound value_bound(const Kernel& kernel, const RowExtent& extent) {
  ValueBound bound = kernel.node()->bound(extent);
  EntryError& e = bound.error;
  e.relative *= slack;
  e.diagonal *= slack;
  e.absolute *= slack;
  if constexpr (sizeof(T) == sizeof(float)) {
    // Rounded to float: half a unit in the last place, or half of the smallest subnormal.
    constexpr double half = std::numeric_limits<float>::epsilon() / 2;
    e.relative += half * (1 + e.relative);
    e.diagonal *= 1 + half;
    e.absolute = e.absolute * (1 + half) + std::numeric_limits<float>::denorm_min();
  }
  return bound;
}

template <class T>
EntryError moved_error(const Kernel& kernel, const Rows<T>& rows, const CellError& cells) {
  if (!cells.any()) return {};
  RowExtent extent = extent_of(rows);
  extent.cells = cells;
  EntryError e = kernel.node()->bound(extent).moved;
  e.relative *= slack;
  e.diagonal *= slack;
  e.absolute *= slack;
  return e;
}

template <class T>
EntryError entry_error(const Kernel& kernel, const Rows<T>& rows) {
  return value_bound<T>(kernel, extent_of(rows)).error;
}

namespace {

bool moves(const ValueBound& v) {
  return v.moved.relative > 0 || v.moved.diagonal > 0 || v.moved.absolute > 0;
}

/// The same values, with the error of the rows only.
ValueBound as_moved(ValueBound v) {
  v.error = std::exchange(v.moved, {});
  return v;
}

}  // namespace

ValueBound sum_bound(const ValueBound& a, const ValueBound& b) {
  ValueBound s;
  if (moves(a) || moves(b)) s.moved = sum_bound(as_moved(a), as_moved(b)).error;
  s.largest = a.largest + b.largest;
  s.nonnegative = a.nonnegative && b.nonnegative;
  s.within_roots = a.within_roots && b.within_roots;
  // √(a_xx a_yy) + √(b_xx b_yy) ≤ √((a+b)_xx (a+b)_yy), by Cauchy and Schwarz; and |a| ≤ |a + b|
  // where neither is negative.
  if (!s.within_roots) {
    s.error.absolute =
        (all_absolute(a) + all_absolute(b)) * (1 + unit_roundoff) + unit_roundoff * s.largest;
    return s;
  }
  if (s.nonnegative) {
    s.error.relative =
        std::max(a.error.relative, b.error.relative) * (1 + unit_roundoff) + unit_roundoff;
    s.error.diagonal = std::max(a.error.diagonal, b.error.diagonal) * (1 + unit_roundoff);
  } else {
    s.error.diagonal =
        std::max(a.error.relative + a.error.diagonal, b.error.relative + b.error.diagonal) *
            (1 + unit_roundoff) +
        unit_roundoff;
  }
  s.error.absolute = (a.error.absolute + b.error.absolute) * (1 + unit_roundoff);
  return s;
}

ValueBound product_bound(const ValueBound& a, const ValueBound& b) {
  ValueBound p;
  if (moves(a) || moves(b)) p.moved = product_bound(as_moved(a), as_moved(b)).error;
  p.largest = a.largest * b.largest;
  p.nonnegative = a.nonnegative && b.nonnegative;
  p.within_roots = a.within_roots && b.within_roots;
  const EntryError &e = a.error, &f = b.error;
  // (a + δa)(b + δb) − ab, term by term, with |a| and |b| below their roots.
  if (p.within_roots) {
    p.error.relative = e.relative + f.relative + e.relative * f.relative;
    p.error.diagonal =
        e.diagonal * (1 + f.relative) + f.diagonal * (1 + e.relative) + e.diagonal * f.diagonal;
    p.error.absolute = e.absolute * b.largest * (1 + f.relative + f.diagonal) +
                       f.absolute * a.largest * (1 + e.relative + e.diagonal) +
                       e.absolute * f.absolute;
  } else if (e.diagonal == 0 && f.diagonal == 0) {
    p.error.relative = e.relative + f.relative + e.relative * f.relative;
    p.error.absolute = e.absolute * b.largest * (1 + f.relative) +
                       f.absolute * a.largest * (1 + e.relative) + e.absolute * f.absolute;
  } else {
    const double off_a = all_absolute(a), off_b = all_absolute(b);
    p.error.absolute = off_a * b.largest + off_b * a.largest + off_a * off_b;
  }
  p.error.relative = p.error.relative * (1 + unit_roundoff) + unit_roundoff;
  p.error.diagonal *= 1 + unit_roundoff;
  p.error.absolute *= 1 + unit_roundoff;
  return p;
}

ValueBound scaled_bound(double factor, ValueBound a) {
  a.error.absolute *= factor * (1 + unit_roundoff);
  a.error.relative = a.error.relative * (1 + unit_roundoff) + unit_roundoff;
  a.error.diagonal *= 1 + unit_roundoff;
  a.largest *= factor;
  a.moved.absolute *= factor * (1 + unit_roundoff);
  return a;
}

template RowExtent extent_of(const Rows<float>&);
template RowExtent extent_of(const Rows<double>&);
template ValueBound value_bound<float>(const Kernel&, const RowExtent&);
template ValueBound value_bound<double>(const Kernel&, const RowExtent&);
template EntryError moved_error(const Kernel&, const Rows<float>&, const CellError&);
template EntryError moved_error(const Kernel&, const Rows<double>&, const CellError&);
template EntryError entry_error(const Kernel&, const Rows<float>&);
template EntryError entry_error(const Kernel&, const Rows<double>&);

}  // namespace mercer
