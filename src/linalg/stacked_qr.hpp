#pragma once
// Triangular factors that take in rows and other factors (Householder, LAPACK's tplqt).
//
//     Matrix<double> r = Matrix<double>::Zero(d, d);
//     stack_rows(r, block.data(), block.rows());     // RᵀR = AᵀA of all rows so far

#include <mercer/matrix.hpp>

namespace mercer {

/// R ← the triangular factor of R and `count` rows of d numbers, which are used up. 2·count·d²
/// flops.
void stack_rows(Matrix<double>& r, double* rows, Index count);

/// R ← the triangular factor of R and another upper triangular one, which is used up. ⅔·d³ flops.
void stack_triangle(Matrix<double>& r, Matrix<double>& other);

}  // namespace mercer
