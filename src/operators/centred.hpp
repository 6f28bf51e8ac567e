#pragma once
// Rows in double, centred, weighted and dense, for the solvers.

#include <mercer/rows.hpp>

namespace mercer {

/// How rows are seen: √weight · (x − centre).
struct Centring {
  const double* centre = nullptr;   ///< one a column of the whole matrix
  const double* weights = nullptr;  ///< one a row of the block; null: all 1
  const double* missing = nullptr;  ///< x − centre of missing cells, one a column; null: NaN
  double* sums = nullptr;  ///< Σ w (x − centre) of each column in the block is added here
};

/// out = √w (x − centre) for columns [first, first + count); rows of `out` are `stride` apart.
/// Sparse rows become dense here, a block at a time.
template <class T>
void centred_block(const Rows<T>& rows, Index first, Index count, const Centring& how, double* out,
                   Index stride);

/// A column whose scatter about its mean is at most ε² of its raw second moment.
constexpr bool is_constant(double scatter, double second_moment, double epsilon) {
  return scatter <= epsilon * epsilon * second_moment;
}

/// Z-scores and correlations need the square of every column's deviations. Throws `Errc::bad_data`
/// for a column that is so small beside others that squares of its numbers underflow. Where all
/// columns are small, nothing is lost that multiplying the rows does not bring back.
void require_squares(const Vector<double>& scatter, const Vector<double>& mean);

/// √(scatter / denominator), or 1 for a column that is constant up to rounding.
double standard_deviation(double scatter, double second_moment, double denominator, double epsilon);

}  // namespace mercer
