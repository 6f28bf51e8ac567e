// Relations from the triangular factor of centred columns.
//
// Columns are divided by their own lengths first: QR is off by a share of each column, so a column
// of any size is known to as many digits as the others, and one that is 10¹⁶ times smaller is no
// null direction. The constant is a sum of products with the means, which cancels where means are
// far from 0, and is therefore summed in twice the precision.
#include "linalg/lapack.hpp"
#include "model/relations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace mercer {

namespace {

constexpr double ulp = std::numeric_limits<double>::epsilon();

/// Relations with a larger residual are not listed.
constexpr double largest_residual = 1e-10;

/// Rows in reduced echelon form by Gauss–Jordan elimination with complete pivoting: each row has a
/// column where it is 1 and the others are 0.
void reduce(Matrix<double>& a) {
  for (Index done = 0; done < a.rows(); ++done) {
    Index row = 0, column = 0;
    a.bottomRows(a.rows() - done).cwiseAbs().maxCoeff(&row, &column);
    a.row(done).swap(a.row(done + row));
    a.row(done) /= a(done, column);
    for (Index i = 0; i < a.rows(); ++i) {
      if (i == done) continue;
      a.row(i) -= a(i, column) * a.row(done);
      a(i, column) = 0;
    }
  }
}

/// c·(mean + rest) in twice the precision (Ogita, Rump & Oishi, SIAM J. Sci. Comput. 26, 2005).
double at_mean(const Vector<double>& c, const CentredTriangle& t, double less = 0) {
  double sum = -less, low = 0;
  for (Index j = 0; j < c.size(); ++j) {
    const double product = c[j] * t.mean[j];
    low += std::fma(c[j], t.mean[j], -product) + c[j] * t.rest[j];
    const double next = sum + product, part = next - sum;
    low += (sum - (next - part)) + (product - part);
    sum = next;
  }
  return sum + low;
}

/// The number of the fewest decimal digits, at most 9, within `tolerance` of x; x: there is none.
/// `guard`: digits by which the tolerance must be smaller, so that a match is no accident.
double short_decimal(double x, double tolerance, int guard) {
  for (int digits = 0; digits < 9; ++digits) {
    if (tolerance * std::pow(10, digits + guard) > std::abs(x)) break;
    const double y = std::strtod(fmt::format("{:.{}e}", x, digits).c_str(), nullptr);
    if (std::abs(y - x) <= tolerance) return y;
  }
  return x;
}

/// The columns that vary, of length 1.
struct UnitColumns {
  std::vector<Index> columns;
  Vector<double> lengths;  ///< before, in the units of the columns
  Matrix<double> a;
  double error = 0;       ///< of a null vector
  double negligible = 0;  ///< entries of a null vector that may be 0

  double deviation(const Vector<double>& w) const { return (a * w).norm(); }
};

/// w with small entries as 0 where that costs nothing.
Vector<double> without_small(const UnitColumns& unit, const Vector<double>& w) {
  Vector<double> sparse = w;
  for (double& entry : sparse)
    if (std::abs(entry) < unit.negligible * w.cwiseAbs().maxCoeff()) entry = 0;
  const bool as_good = unit.deviation(sparse) <= 2 * unit.deviation(w) + 8 * ulp * w.norm();
  return as_good ? sparse : w;
}

/// Coefficients of short decimals, one of which is 1, that w is within its error; empty: none.
/// Integers and numbers from a text are such coefficients, and those that are exact keep the
/// constant exact where the means are far from 0.
Vector<double> decimals_near(const UnitColumns& unit, const Vector<double>& w) {
  const Index m = w.size();
  const double size = w.cwiseAbs().maxCoeff();
  for (Index pivot = 0; pivot < m; ++pivot) {
    if (w[pivot] == 0) continue;
    Vector<double> c = Vector<double>::Zero(m);
    bool found = true;
    for (Index j = 0; j < m && found; ++j) {
      if (w[j] == 0) continue;
      const double value = (w[j] / w[pivot]) * (unit.lengths[pivot] / unit.lengths[j]);
      const double share = unit.error * (size / std::abs(w[j]) + size / std::abs(w[pivot]));
      const double tolerance = share * std::abs(value);
      c[j] = j == pivot ? 1 : short_decimal(value, tolerance, 4);
      found = j == pivot || c[j] != value ||
              short_decimal(value, 0, 0) == value;  // is a short decimal itself
    }
    if (!found) continue;
    const Vector<double> changed = c.cwiseProduct(unit.lengths) * (w[pivot] / unit.lengths[pivot]);
    if (unit.deviation(changed) <= 2 * unit.deviation(w) + 8 * ulp * w.norm()) return c;
  }
  return {};
}

/// √mean(f²) of each column.
Vector<double> sizes_in(const CentredTriangle& t) {
  Vector<double> out(t.mean.size());
  for (Index j = 0; j < out.size(); ++j)
    out[j] = std::hypot(t.r.col(j).stableNorm() * t.divisors[j] / std::sqrt(t.weight), t.mean[j]);
  return out;
}

/// √(mean of (c·f − c·m)²) over the rows.
double spread_along(const Vector<double>& c, const CentredTriangle& t) {
  const Matrix<long double> r = t.r.cast<long double>();
  const Vector<long double> along = r * c.cwiseProduct(t.divisors).cast<long double>();
  return static_cast<double>(along.norm()) / std::sqrt(t.weight);
}

/// The root mean square over the rows of c·f − constant for the coefficients as they are stored.
void measure(Relation& r, const CentredTriangle& t, const Vector<double>& sizes) {
  const Index d = t.mean.size();
  const Vector<double> c = Eigen::Map<const Vector<double>>(r.coefficients.data(), d);
  const double spread = spread_along(c, t);
  r.deviation = std::hypot(spread, at_mean(c, t, r.constant));
  const double terms = c.cwiseProduct(sizes).stableNorm();
  r.residual = terms > 0 ? r.deviation / terms : 0;
}

/// The relation of coefficients c, whose constant is off by up to `error`.
Relation with_constant(const Vector<double>& c, const CentredTriangle& t,
                       const Vector<double>& sizes, double error, double usual) {
  Relation out;
  out.coefficients.assign(c.data(), c.data() + c.size());
  out.constant = at_mean(c, t);
  const double terms = c.cwiseProduct(sizes).lpNorm<1>();
  // The mean of rows that are rounded is off, too: what they deviate by beyond the rounding of R.
  const Vector<double> lengths = t.r.colwise().norm().transpose();
  const double computed =
      8 * ulp * c.cwiseProduct(t.divisors).cwiseProduct(lengths).norm() / std::sqrt(t.weight);
  error += 3 * std::max(spread_along(c, t) - computed, 0.0) / std::sqrt(t.rows);
  // The mean is rounded relative to the columns, too: of exact coefficients a short constant.
  const double decimal = short_decimal(out.constant, computed, 4);
  if (error > 0 || decimal == out.constant) error += computed;
  else out.constant = decimal;
  if (std::abs(out.constant) <= std::max(8 * ulp * terms, std::min(error, 1e-6 * terms)))
    out.constant = 0;
  // Division by a constant that is known to few digits would leave the coefficients with as few.
  if (out.constant != 0 && error <= std::max(1e-10, usual) * std::abs(out.constant)) {
    for (double& x : out.coefficients) x /= out.constant;
    out.constant = 1;
  } else if (out.constant != 0) {
    const double by = largest_coefficient(out);
    out.constant = short_decimal(out.constant / by, error / std::abs(by), 0);
    for (double& x : out.coefficients) x /= by;
  }
  normalize(out);
  measure(out, t, sizes);
  return out;
}

/// The columns that vary, and those that do not.
UnitColumns unit_columns(const CentredTriangle& t, Vector<double>& noise,
                         std::vector<Index>& constant) {
  UnitColumns out;
  const Index d = t.mean.size();
  std::vector<double> lengths, noises;
  for (Index j = 0; j < d; ++j) {
    const double length = t.r.col(j).stableNorm();
    // Of numbers that were rounded on their way.
    const double rounding =
        t.epsilon * std::hypot(length, std::sqrt(t.weight) * t.mean[j] / t.divisors[j]);
    if (!(length > rounding)) {
      constant.push_back(j);
      continue;
    }
    out.columns.push_back(j);
    lengths.push_back(length);
    noises.push_back(rounding / length);
  }
  const Index m = static_cast<Index>(lengths.size());
  out.a.resize(d, m);
  out.lengths.resize(m);
  noise.resize(m);
  for (Index i = 0; i < m; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Index j = out.columns[at];
    out.a.col(i) = t.r.col(j) / lengths[at];
    out.lengths[i] = lengths[at] * t.divisors[j];
    noise[i] = noises[at];
  }
  return out;
}

/// The same of a vector with an entry for each column that varies.
Vector<double> spread_out(const UnitColumns& unit, const Vector<double>& c, Index d) {
  Vector<double> out = Vector<double>::Zero(d);
  for (Index i = 0; i < c.size(); ++i) out[unit.columns[static_cast<std::size_t>(i)]] = c[i];
  return out;
}

Relation relation_of(const UnitColumns& unit, const Vector<double>& null, const CentredTriangle& t,
                     const Vector<double>& sizes) {
  const Index d = t.mean.size();
  const Vector<double> w = without_small(unit, null);
  const Vector<double> decimals = decimals_near(unit, w);
  if (decimals.size() > 0) return with_constant(spread_out(unit, decimals, d), t, sizes, 0, 0);
  // In units of the largest coefficient, which may be far from 1.
  Vector<double> c = w.cwiseQuotient(unit.lengths);
  const double by = c.cwiseAbs().maxCoeff();
  double error = 0;
  for (Index i = 0; i < w.size(); ++i)
    if (w[i] != 0)
      error += std::abs(t.mean[unit.columns[static_cast<std::size_t>(i)]]) * unit.error /
               unit.lengths[i] / by * w.cwiseAbs().maxCoeff();
  return with_constant(spread_out(unit, c / by, d), t, sizes, error, 100 * unit.error);
}

std::ptrdiff_t terms_in(const Relation& r) {
  return std::ranges::count_if(r.coefficients, [](double c) { return c != 0; });
}

}  // namespace

FoundRelations relations_of(const CentredTriangle& t) {
  const Index d = t.mean.size();
  FoundRelations out;
  Vector<double> noise;
  std::vector<Index> constant;
  UnitColumns unit = unit_columns(t, noise, constant);
  const Index m = unit.a.cols();
  if (m == 0) return out;
  const Vector<double> sizes = sizes_in(t);
  for (const Index j : constant)
    out.relations.push_back(with_constant(Vector<double>::Unit(d, j), t, sizes, 0, 0));

  const RightSvd svd = right_svd(unit.a);
  const double root = std::sqrt(static_cast<double>(m));
  std::vector<Index> null;
  double least = svd.values[0], most = 0;
  for (Index i = 0; i < m; ++i) {
    const Vector<double> parts = svd.vectors.row(i).transpose().cwiseProduct(noise);
    const double along = std::hypot(parts.norm(), parts.lpNorm<1>() / std::sqrt(t.rows));
    if (svd.values[i] > std::max(8 * ulp * root, along)) {
      least = std::min(least, svd.values[i]);
    } else {
      null.push_back(i);
      most = std::max(most, svd.values[i]);
    }
  }
  out.rank = m - static_cast<Index>(null.size());
  const double condition = svd.values[0] / least;
  unit.error = (16 * ulp * root + most) * condition;
  // What is below the error of the null vectors is not known to differ from 0.
  unit.negligible =
      std::clamp(std::max(64 * ulp * static_cast<double>(d) * condition, unit.error), 1e-13, 1e-6);
  Matrix<double> rows(static_cast<Index>(null.size()), m);
  for (Index i = 0; i < rows.rows(); ++i)
    rows.row(i) = svd.vectors.row(null[static_cast<std::size_t>(i)]);
  if (rows.rows() > 0) reduce(rows);
  for (Index i = 0; i < rows.rows(); ++i)
    out.relations.push_back(relation_of(unit, rows.row(i).transpose(), t, sizes));

  const double allowed = std::max(largest_residual, 16 * t.epsilon * root);
  std::erase_if(out.relations, [&](const Relation& r) {
    return !(r.residual <= allowed) ||
           !std::ranges::all_of(r.coefficients, [](double c) { return std::isfinite(c); });
  });
  std::ranges::stable_sort(out.relations, {}, terms_in);
  return out;
}

}  // namespace mercer
