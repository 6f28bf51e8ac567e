#pragma once
// Inner products of rows, dense or sparse on either side. Sparse rows stay sparse: at most one row
// of them is spread out at a time.

#include "kernels/evaluation.hpp"

namespace mercer {

/// out(i, j) = x_i · y_j.
template <class T>
void inner_products(const Rows<T>& x, const Rows<T>& y, const TileView<T>& out);

/// ‖x_i‖², summed in double.
template <class T>
Vector<double> squared_norms(const Rows<T>& x);

}  // namespace mercer
