#pragma once
// Orthonormal rows from independent ones, by Householder reflections.

#include <mercer/matrix.hpp>

namespace mercer {

/// Makes the rows of `a`, at most as many as columns, orthonormal: each span of the first i stays.
void orthonormalise_rows(Matrix<double>& a);

}  // namespace mercer
