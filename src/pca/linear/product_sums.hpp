#pragma once
// Products with the scatter matrix of all rows of a fit, on one process or on a team
// (pca/orders.hpp).

#include "operators/scatter.hpp"
#include "pca/passes.hpp"

#include <mercer/fit.hpp>

#include <string>

namespace mercer {

/// out = a·v by one pass, on rank 0.
template <class T>
void multiply_rows(Passes<T>& passes, const FitOptions& options, ScatterOperator<T>& a,
                   const Matrix<double>& v, Matrix<double>& out);

/// The part of another rank.
template <class T>
void serve_products(Passes<T>& passes, const FitOptions& options, const std::string& with);

}  // namespace mercer
