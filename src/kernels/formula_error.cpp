#include "kernels/formula_error.hpp"

#include "kernels/formula.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

constexpr double u = unit_roundoff;
/// Results below this are 0, and products that underflow are off by less.
constexpr double tiny = std::numeric_limits<double>::min();

/// |computed z − z| ≤ relative·z + absolute, for z up to `largest`.
struct Inexact {
  double relative, absolute, largest;
};

/// n roundings in a row: nε/(1 − nε), or what is likely.
double roundings(const RowExtent& e, double n) {
  if (e.likely) n = std::min(n, 10.1 * std::sqrt(n));
  return n * u / (1 - n * u);
}

double product_steps(double d) { return 2 * d + 12; }  // see `near_share`

/// Where e^(−t) is so small that its relative error does not matter.
constexpr double negligible = 20;

/// A function that is e^(−t) times at most (1 + t + t²/3), where t has the error t·relative +
/// shift: `last` roundings are in the rest of it.
EntryError of_exponential(double relative, double shift, double t, double last) {
  EntryError e;
  const double within = relative * std::min(t, negligible) + shift;
  e.relative = std::expm1(within) * (1 + last * u) + last * u;
  // Beyond: (1 + t + t²/3)·e^(−t)·(e^(t·relative + shift) − 1 + last·u), largest at t = negligible
  // for relative < 1/2.
  if (t > negligible)
    e.absolute = 2 * (1 + negligible + negligible * negligible / 3) * std::exp(-negligible) *
                 (std::expm1(within) + last * u);
  e.absolute += 4 * tiny;
  return e;
}

EntryError of_distances(const Formula<double>& f, const Inexact& z) {
  const double root = f.a * std::sqrt(z.largest);
  switch (f.function) {
    case Function::exp:
      return of_exponential(z.relative + 2 * u, f.a * z.absolute, f.a * z.largest, 4);
    case Function::exp_root:
      // √(z + δ) − √z ≤ √δ: what underflow takes off the squares.
      return of_exponential(z.relative / 2 + 6 * u, f.a * std::sqrt(z.absolute), root, 4);
    case Function::matern3:
    case Function::matern5:
      // |d log k/dz| ≤ a²/2 and |d log k/ds| ≤ 1.
      return of_exponential(z.relative / 2 + 6 * u, f.a * f.a / 2 * z.absolute, root, 12);
    case Function::reciprocal:
      return {z.relative + f.a * z.absolute + 8 * u, 0, 4 * tiny};
    case Function::rational: {
      // log(1 + az) is off by the relative error of az, and by its own rounding.
      const double log_error = f.b * (z.relative + f.a * z.absolute + 6 * u) +
                               12 * u * f.b * std::log1p(f.a * z.largest);
      return {std::expm1(log_error) + 4 * u, 0, 4 * tiny};
    }
    default:  // the distances themselves
      return {z.relative, 0, z.absolute};
  }
}

/// Each of these sums has no negative term, so its relative error is that of the terms and the
/// additions.
Inexact sum_of_differences(Ingredient ingredient, const RowExtent& e) {
  const double largest = ingredient == Ingredient::distances  ? 4 * e.squared_radius
                         : ingredient == Ingredient::absolute ? 2 * e.absolute_radius
                                                              : 2 * e.sum;
  return {roundings(e, e.entries + (ingredient == Ingredient::distances ? 3 : 6)),
          (e.entries + 4) * tiny * u * 2, largest};
}

EntryError smaller(const EntryError& a, const EntryError& b) {
  return a.relative <= b.relative ? a : b;
}

/// The better of two views of a squared distance: its error against the largest norms, or against
/// itself and the scale of the formula.
EntryError of_squared_distances(const Formula<double>& f, const RowExtent& e) {
  const Inexact z = sum_of_differences(Ingredient::distances, e);
  if (e.differences) return of_distances(f, z);
  const double products = roundings(e, product_steps(e.entries)), scale = scale_of(f);
  const double share = products / near_share;
  const Inexact near{std::max(z.relative, share), share * scale + z.absolute, z.largest};
  const double square = e.about_centre ? e.squared_radius : e.square;
  const Inexact norms{z.relative, products * 2 * square + z.absolute, z.largest};
  const EntryError by_itself = of_distances(f, near);
  // Under a root an absolute error is not enough.
  return scale > 0 ? smaller(by_itself, of_distances(f, norms)) : by_itself;
}

/// What the error of the rows makes of a function of their distance, which is off by `off`: of ‖x −
/// y‖, or of the sum z itself where `f` takes that. No distance exceeds `largest`.
EntryError of_moved_distance(const Formula<double>& f, double off, double largest, bool root) {
  const double t = root ? f.a * largest * largest : f.a * largest;
  // |d log k/dr| of e^(−ar²) is 2ar, which matters up to ar² = `negligible`.
  const double steepest = 2 * f.a * std::min(largest + off, std::sqrt(negligible / f.a) + off);
  switch (f.function) {
    case Function::exp:
      return root ? of_exponential(0, steepest * off, t, 0) : of_exponential(0, f.a * off, t, 0);
    case Function::exp_root:
      return of_exponential(0, f.a * off, f.a * largest, 0);
    case Function::matern3:
    case Function::matern5:  // |d log k/ds| ≤ min(1, s)
      return of_exponential(0, std::min(1.0, f.a * (largest + off)) * f.a * off, f.a * largest, 0);
    case Function::reciprocal:  // 2ar/(1 + ar²) ≤ √a
      return {std::expm1(std::min(2 * f.a * (largest + off), std::sqrt(f.a)) * off), 0, 0};
    case Function::rational:
      return {std::expm1(f.b * std::min(2 * f.a * (largest + off), std::sqrt(f.a)) * off), 0, 0};
    default:
      return {0, 0, root ? (2 * largest + off) * off : off};
  }
}

/// x·y: the relative part goes with the lengths of both rows, the shift does not.
EntryError of_moved_products(const Formula<double>& f, const RowExtent& e) {
  const double both = (2 + e.cells.relative) * e.cells.relative;
  const double length = std::sqrt(e.square), shift = e.cells.shift * std::sqrt(e.entries);
  const double moved = (2 * length * (1 + e.cells.relative) + shift) * shift;
  if (f.function == Function::identity) return {0, both, moved};
  const double off = f.a * (both * e.square + moved);
  if (f.function == Function::tanh) return {0, 0, off};
  // (b + δ)^n − b^n ≤ n·δ·(b + δ)^(n−1)
  const double base = f.a * e.square + std::abs(f.b) + off;
  const double slope = f.n * std::pow(base, f.n - 1);
  if (f.b < 0) return {0, 0, slope * off};
  return {0, std::expm1(f.n * both), slope * f.a * moved * std::exp(f.n * both)};
}

EntryError of_moved_rows(Ingredient ingredient, const Formula<double>& f, const RowExtent& e) {
  const CellError& c = e.cells;
  if (!c.any()) return {};
  const double length = std::sqrt(e.square);
  switch (ingredient) {
    case Ingredient::none:
      return {};
    case Ingredient::distances:
      return of_moved_distance(f, 2 * (c.relative * length + c.apart * std::sqrt(e.entries)),
                               2 * length, true);
    case Ingredient::absolute:
      return of_moved_distance(f, 2 * (c.relative * e.sum + c.apart * e.entries), 2 * e.sum, false);
    case Ingredient::cosines: {
      // Twice the angle of each row, which is at most its error over its length.
      const double shortest = std::sqrt(e.least_square), shift = c.shift * std::sqrt(e.entries);
      const double angle = c.relative + (shift > 0 ? shift / shortest : 0);
      return {0, 0, angle < 0.1 ? 4.2 * angle : 2};
    }
    case Ingredient::harmonic:
    case Ingredient::chi2: {
      // Cells are not negative. Of 2xy/(x + y) and (x − y)²/(x + y), at most x + y, no derivative
      // exceeds 3.
      const double off = 3.1 * 2 * (c.relative * e.sum + c.shift * e.entries);
      return ingredient == Ingredient::chi2 ? of_moved_distance(f, off, 2 * e.sum, false)
                                            : EntryError{0, 0, off};
    }
    case Ingredient::inner:
      break;
  }
  return of_moved_products(f, e);
}

}  // namespace

ValueBound leaf_bound(Ingredient ingredient, const Formula<double>& f, const RowExtent& e) {
  ValueBound v;
  v.moved = of_moved_rows(ingredient, f, e);
  const double d = e.entries, inner = roundings(e, d);
  switch (ingredient) {
    case Ingredient::none:
      v.largest = std::abs(f.b);
      v.nonnegative = v.within_roots = f.b >= 0;
      return v;
    case Ingredient::cosines:
      v.error.absolute = roundings(e, 2 * d + 8);
      v.largest = 1;
      v.within_roots = true;
      return v;
    case Ingredient::harmonic:
      v.error = {roundings(e, d + 6), 0, (d + 4) * tiny};
      v.largest = e.sum;
      v.nonnegative = v.within_roots = true;
      return v;
    case Ingredient::absolute:
    case Ingredient::chi2:
      v.error = of_distances(f, sum_of_differences(ingredient, e));
      v.largest = 1;
      v.nonnegative = v.within_roots = true;
      return v;
    case Ingredient::distances:
      v.error = of_squared_distances(f, e);
      v.largest = 1;
      v.nonnegative = v.within_roots = true;
      return v;
    case Ingredient::inner:
      break;
  }
  if (f.function == Function::identity) {
    // Two more roundings where rows were moved to their mean first.
    v.error = {0, roundings(e, d + 2), (d + 1) * tiny * u * 2};
    v.largest = e.square;
    v.within_roots = true;
    return v;
  }
  const double vanished = f.a * (d + 1) * tiny * u * 2;  // of products that underflow
  if (f.function == Function::tanh) {
    v.error = {10 * u, 0, f.a * e.square * (inner + 2 * u) + 2 * u * std::abs(f.b) + vanished};
    v.largest = 1;
    return v;
  }
  // (a x·y + b)^n: the base is off by (inner + 3u)·(a‖x‖‖y‖ + |b|), and that is at most the root of
  // the bases of both rows where b ≥ 0.
  const double base = f.a * e.square + std::abs(f.b);
  v.largest = std::pow(base, f.n);
  const double off = std::expm1(f.n * (inner + 4 * u));
  v.within_roots = f.b >= 0;
  v.nonnegative = f.n % 2 == 0;
  if (v.within_roots) v.error.diagonal = off;
  else v.error.absolute = off * v.largest;
  v.error.absolute += (d + 4) * tiny + f.n * std::pow(base, f.n - 1) * vanished;
  return v;
}

double fallen_error(Ingredient ingredient, const Formula<double>& f, const RowExtent& e) {
  if (ingredient == Ingredient::none) return 0;
  const Inexact sums = sum_of_differences(ingredient, e);
  double z = sums.relative;
  if (ingredient == Ingredient::distances && !e.differences)
    z = std::max(z, roundings(e, product_steps(e.entries)) / near_share);
  // 1 − f(z) is concave in z for these functions, or in √z: relative errors do not grow. Its own
  // roundings: at most 32 (the series of matern).
  // Squares that underflow are lost beside the largest.
  const double share = sums.largest > 0 ? sums.absolute / sums.largest : 0;
  const double lost = f.function == Function::exp_root ? std::sqrt(share) : share;
  return z + lost + 64 * u + (f.function == Function::rational ? 8 * u : 0);
}

}  // namespace mercer
