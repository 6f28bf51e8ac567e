#pragma once
// The Gram matrix of rows that all ranks have, and what follows from it, computed by one process or
// by all ranks of a team (pca/orders.hpp).

#include "operators/gram.hpp"
#include "pca/passes.hpp"

#include <mercer/fit.hpp>

#include <string>

namespace mercer {

/// G and B·A (operators/gram.hpp), on rank 0.
template <class T>
Gram gram_of(const Passes<T>& passes, const CentredRows<T>& a, const FitOptions& options);
template <class T>
Matrix<double> combination_of(const Passes<T>& passes, const Matrix<double>& b,
                              const CentredRows<T>& a, const FitOptions& options);

/// The parts of another rank.
template <class T>
void serve_row_products(Passes<T>& passes, const FitOptions& options, const std::string& with);
template <class T>
void serve_combination(Passes<T>& passes, const FitOptions& options, const std::string& with);

}  // namespace mercer
