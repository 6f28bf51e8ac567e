#pragma once
// How far computed kernel values may be off: a bound that holds for every pair of some rows,
//
//     |computed k(x, y) − k(x, y)| ≤ relative·|k(x, y)| + diagonal·√(k(x,x) k(y,y)) + absolute,
//
// where k(x, y) is the exact value for the numbers given. With ε = 2⁻⁵³ and d numbers per row
// (stored ones if rows are sparse):
//
//     inner products   dε/(1 − dε)·‖x‖‖y‖, in any order of summation
//     distances        as `near_share` in evaluation.hpp says; (d + 3)ε·z from differences
//     other sums       (d + 6)ε relative: no term is negative
//
// and then through the derivative of each formula (formula_error.cpp), sums, products and powers.
// Errors of second order are covered by factors above 1, not dropped.
//
// These are the worst cases. Where rounding errors are independent and of mean 0, n of them in a
// row add up to more than 10.1√n·ε with a probability below 1e-21 (Higham and Mary, SISC 41, 2019),
// and below 1e-9 for any pair of all rows that a machine can hold: `RowExtent::likely`.

#include "core/roundoff.hpp"

#include <mercer/kernel.hpp>
#include <mercer/rows.hpp>

#include <functional>

namespace mercer {

/// How far the cells of rows may be off before a kernel sees them, as z-scores are: a cell z by
/// relative·|z|, and by `shift` more, which is the same in all rows of a column, but for `apart` of
/// it.
struct CellError {
  double relative = 0, shift = 0, apart = 0;

  bool any() const { return relative > 0 || shift > 0 || apart > 0; }
};

struct EntryError {
  double relative = 0;  ///< times |k(x, y)|
  double diagonal = 0;  ///< times √(k(x, x) k(y, y))
  double absolute = 0;

  /// Bound on ‖U (computed K − K) U‖₂ for U² = diag(w), where `norm` is at least the norm of U|K|U
  /// (λ₁ of UKU where no entry is negative, ‖UKU‖_F or the trace in any case), `trace` is Σ w_i
  /// k_ii and `weight` Σ w_i.
  double of_matrix(double norm, double trace, double weight) const {
    return relative * norm + diagonal * trace + absolute * weight;
  }
};

/// All values of a kernel on some rows.
struct ValueBound {
  EntryError error;
  double largest = 0;         ///< no |k(x, y)| is larger
  bool nonnegative = false;   ///< k(x, y) ≥ 0
  bool within_roots = false;  ///< |k(x, y)|² ≤ k(x, x) k(y, y)
  EntryError moved{};         ///< what the error of the rows' cells makes of exact values
};

namespace detail {
class KernelNode;
}
using detail::KernelNode;

/// The properties of rows that the bounds need. Lengths are about a point between the rows where
/// rows are dense, and about 0 otherwise.
struct RowExtent {
  double entries = 0;       ///< numbers a row, at most
  double square = 0;        ///< largest ‖x‖²
  double sum = 0;           ///< largest Σ|x_j|
  double least_square = 0;  ///< smallest ‖x‖²
  double squared_radius = 0;  ///< largest ‖x − centre‖²: no squared distance exceeds 4 of these
  double absolute_radius = 0;  ///< largest ‖x − centre‖₁
  bool likely = false;         ///< rounding errors are taken to be independent
  CellError cells{};           ///< of the rows themselves
  bool differences = false;    ///< all squared distances are sums of squared differences
  bool about_centre = false;   ///< the others are from products of rows about the centre
  /// Largest |k(x, x)| of a kernel, for those that nothing else is known of.
  std::function<double(const KernelNode&)> largest_diagonal;
};

template <class T>
RowExtent extent_of(const Rows<T>& rows);

/// For values computed from rows of T and rounded to T.
template <class T>
ValueBound value_bound(const Kernel& kernel, const RowExtent& extent);

/// The error of kernel values due to the error of the cells; 0 for a user-defined function, which
/// is evaluated at the rounded cells.
template <class T>
EntryError moved_error(const Kernel& kernel, const Rows<T>& rows, const CellError& cells);

/// The worst case, by two passes over the rows.
template <class T>
EntryError entry_error(const Kernel& kernel, const Rows<T>& rows);

/// Of k₁ + k₂, k₁·k₂ and factor·k, each rounded once more.
ValueBound sum_bound(const ValueBound& a, const ValueBound& b);
ValueBound product_bound(const ValueBound& a, const ValueBound& b);
ValueBound scaled_bound(double factor, ValueBound a);

}  // namespace mercer
