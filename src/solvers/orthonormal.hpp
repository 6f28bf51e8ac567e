#pragma once
// Orthonormal blocks of tall vectors, by matrix products only.

#include "solvers/tall_block.hpp"

namespace mercer {

/// Makes the columns of `w` orthonormal, and orthogonal to the first `m` columns of `q`, which are
/// orthonormal. Columns that rounding has made dependent are replaced by random ones, so the block
/// keeps its width: m + w.cols() must not exceed n. `spare` has the shape of `w`.
/// `orthogonal`: w is orthogonal to q already, up to rounding errors of size 1e-15, which saves a
/// projection; its columns may then be as short as those. Otherwise they have unit length.
void orthonormalise(const TallBlocks& tall, const Matrix<double>& q, Index m, Matrix<double>& w,
                    Matrix<double>& spare, RowRandom& random, bool orthogonal = false);

}  // namespace mercer
