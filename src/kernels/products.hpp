#pragma once
// Inner products of rows, dense or sparse on either side. Sparse rows stay sparse: at most one row
// of them is spread out at a time.

#include "kernels/evaluation.hpp"

namespace mercer {

/// out(i, j) = x_i · y_j, with the same bits in every tile.
template <class T>
void inner_products(const Rows<T>& x, const Rows<T>& y, const TileView<T>& out);

/// The sum of squares, in an order that depends on `count` alone.
double squared_norm(const double* row, Index count);

/// ‖x_i‖².
Vector<double> squared_norms(const Rows<double>& x);

}  // namespace mercer
