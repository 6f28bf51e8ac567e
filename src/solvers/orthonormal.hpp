#pragma once
// Orthonormal blocks of tall vectors, by matrix products only.

#include <mercer/matrix.hpp>

#include <random>

namespace mercer {

/// Fills columns [from, w.cols()) with random vectors of length about 1.
void fill_random(Matrix<double>& w, Index from, std::mt19937_64& random);

/// Fills `w` with standard normal numbers.
void fill_normal(Matrix<double>& w, std::mt19937_64& random);

/// Makes the columns of `w` orthonormal, and orthogonal to the first `m` columns of `q`, which are
/// orthonormal. Columns that rounding has made dependent are replaced by random ones, so the block
/// keeps its width: m + w.cols() must not exceed n. `spare` has the shape of `w`.
/// `orthogonal`: w is orthogonal to q already, up to rounding errors of size 1e-15, which saves a
/// projection; its columns may then be as short as those. Otherwise they have unit length.
void orthonormalise(const Matrix<double>& q, Index m, Matrix<double>& w, Matrix<double>& spare,
                    std::mt19937_64& random, int threads, bool orthogonal = false);

/// q ← q·t for the first t.rows() columns, in place: the result stands in the first t.cols().
void rotate_columns(Matrix<double>& q, const Matrix<double>& t, int threads);

}  // namespace mercer
